// skald bench attention: the attention operation alone, dense and sparse.
#include <memory>

#include "cli/command.h"
#include "cli/common_flags.h"
#include "tools/bench_attention.h"

namespace skald {
namespace {

struct Options {
  AttentionBenchOptions bench;
  ComputeFlags compute;
  ReportFlags report;
  int64_t k1 = 0, k2 = 0;
  float ratio = 8;
};

void run(Options o) {
  o.report.check();
  o.bench.compute = o.compute.checked();
  const bool pair = o.k1 || o.k2;
  o.bench.sparq.k1 = o.k1;
  o.bench.sparq.k2 = o.k2;
  o.bench.sparq.ratio = pair ? 0 : static_cast<double>(o.ratio);
  AttentionBenchResult result;
  check_usage([&] {
    o.bench.sparq.check();
    result = run_attention_bench(o.bench, show_progress);
  });
  end_progress();
  o.report.print(attention_bench_markdown(result), attention_bench_json(result), attention_bench_csv(result));
}

Action declare(Flags& flags) {
  auto o = std::make_shared<Options>();
  flags.add("--heads", o->bench.n_heads, "query heads");
  flags.add("--kv-heads", o->bench.n_kv_heads, "KV heads");
  flags.add("--head-dim", o->bench.d_head, "numbers of a head's key, and of its value");
  flags.add("--lengths", o->bench.lengths, "keys that a decode step attends to");
  flags.add("-p,--n-prompt", o->bench.prefill, "tokens of prompts whose attention is timed as one step");
  flags.add("--k1", o->k1, "query components that score all keys; 0: as --sparq-ratio says");
  flags.add("--k2", o->k2, "keys that are then attended to; 0: as --sparq-ratio says");
  flags.add("--sparq-ratio,--ratio", o->ratio, "how many times less a sparse step reads; 0: dense only");
  flags.add("--sparq-kt", o->bench.sparq.index, "copy of the keys by dimensions: int8 or f16", "TYPE");
  flags.add("-r,--repetitions", o->bench.repetitions, "steps of each test; the median counts");
  o->compute.declare(flags);
  o->report.declare(flags);
  return [o] { run(*o); };
}

}  // namespace

extern const Command command_bench_attention;
const Command command_bench_attention{
    .name = "bench attention",
    .summary = "Measure attention alone, dense and sparse, at several lengths",
    .examples =
        "  skald bench attention\n"
        "  skald bench attention --heads 32 --kv-heads 8 --lengths 8192,32768 --sparq-kt f16\n"
        "  skald bench attention --lengths 4096 -p 1975 -o json\n",
    .declare = declare};

}  // namespace skald
