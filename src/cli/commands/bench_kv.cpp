// skald bench kv: the cost per token of a static graph's KV cache.
#include <memory>

#include "cli/command.h"
#include "cli/flags/common.h"
#include "tools/bench/bench_kv.h"

namespace skald {
namespace {

struct BenchKvArgs {
  KvBenchOptions bench;
  ReportFlags report;
};

void run(const BenchKvArgs& o) {
  o.report.check("bench kv");
  KvBenchResult result;
  check_usage([&] { result = run_kv_bench(o.bench); });
  o.report.print({.md = [&] { return kv_bench_markdown(result); },
                  .json = [&] { return kv_bench_json(result); },
                  .csv = [&] { return kv_bench_csv(result); }});
}

Action declare_bench_kv(Flags& flags) {
  auto o = std::make_shared<BenchKvArgs>();
  KvShape& shape = o->bench.shape;
  flags.add("--layers", shape.n_layers, "layers");
  flags.add("--heads", shape.n_kv_heads, "KV heads of a layer");
  flags.add("--head-dim", shape.d_head, "numbers of a head's key, and of its value");
  flags.add("-c,--ctx-size", shape.context, "keys that a token can see, its own among them");
  flags.add("--bits", shape.bits, "of a number: 8, 16 or 32");
  flags.add("-r,--repetitions", o->bench.repetitions, "times that each method is run; the median counts");
  o->report.declare(flags);
  return [o] { run(*o); };
}

}  // namespace

extern const Command command_bench_kv;
const Command command_bench_kv{.name = "bench kv",
                               .summary = "Measure the cost per token of appending to a static KV cache and shifting it",
                               .examples =
                                   "  skald bench kv\n"
                                   "  skald bench kv --layers 32 --heads 32 --head-dim 128 -c 1024 -o json\n",
                               .declare = declare_bench_kv};

}  // namespace skald
