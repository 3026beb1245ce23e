// skald bench attention: the attention operation alone, dense and sparse.
#include <algorithm>
#include <memory>

#include "cli/command.h"
#include "cli/flags/common.h"
#include "cli/terminal/progress.h"
#include "tools/bench/bench_attention.h"

namespace skald {
namespace {

struct BenchAttentionArgs {
  AttentionBenchOptions bench;
  ComputeFlags compute;
  RooflineFlags roofline;
  ReportFlags report{.plot = "the speed-up of sparse decoding against the number of keys, measured and by bytes moved"};
  std::string dtype;
  uint64_t churn = 0;
  int64_t k1 = 0, k2 = 0;
  float ratio = 8;
};

// The values of a plot have to be measured, and others need not be.
void check_plot(const AttentionBenchOptions& bench) {
  if (!bench.sparq.on()) throw UsageError("bench attention: -o svg draws a speed-up: want --sparq-ratio, or --k1 and --k2");
  if (!bench.prefill.empty()) throw UsageError("bench attention: -o svg draws decoding: -p does not go with it");
  if (std::ranges::none_of(bench.lengths, [](int64_t n) { return n > 0; }))
    throw UsageError("bench attention: -o svg: want some --lengths");
}

// --dtype is both types of the cache.
void set_cache_types(BenchAttentionArgs& o, const Flags& flags) {
  if (!flags.given("--dtype")) return;
  if (flags.given("--cache-type-k") || flags.given("--cache-type-v"))
    throw UsageError("bench attention: want --dtype or -ctk and -ctv");
  o.compute.options.cache.type_k = o.compute.options.cache.type_v = o.dtype;
}

// The textbook's form has no sparse variant: with --no-fused, decoding is dense only.
void check_unfused(BenchAttentionArgs& o, bool sparse_given) {
  if (o.compute.options.device.fused) return;
  if (sparse_given) throw UsageError("bench attention: --no-fused does not go with --k1, --k2 and --sparq-ratio");
  if (o.bench.unfused) throw UsageError("bench attention: want one of --unfused and --no-fused");
  o.ratio = 0;
}

void run(BenchAttentionArgs o, bool sparse_given) {
  o.report.check("bench attention");
  o.bench.compute = o.compute.checked();
  o.bench.roofline_seconds = o.report.draws() ? 0 : o.roofline.checked();
  check_unfused(o, sparse_given);
  const bool pair = o.k1 || o.k2;
  o.bench.sparq.k1 = o.k1;
  o.bench.sparq.k2 = o.k2;
  o.bench.sparq.ratio = pair ? 0 : static_cast<double>(o.ratio);
  AttentionBenchResult result;
  if (o.bench.unfused && o.bench.prefill.empty()) throw UsageError("bench attention: --unfused compares prompts: want -p");
  check_usage([&] {
    o.bench.sparq.check();
    if (o.report.draws()) check_plot(o.bench);
    result = run_attention_bench(o.bench, show_progress);
  });
  end_progress();
  o.report.print({.md = [&] { return attention_bench_markdown(result); },
                  .json = [&] { return attention_bench_json(result); },
                  .csv = [&] { return attention_bench_csv(result); },
                  .svg = [&] { return attention_bench_svg(result); }});
}

Action declare_bench_attention(Flags& flags) {
  auto o = std::make_shared<BenchAttentionArgs>();
  flags.add("--heads", o->bench.n_heads, "query heads");
  flags.add("--kv-heads", o->bench.n_kv_heads, "KV heads");
  flags.add("--head-dim", o->bench.d_head, "numbers of a head's key, and of its value");
  flags.add("--lengths", o->bench.lengths, "keys that a decode step attends to, as 4096, 4k or 1k..128k; 0: no such test");
  flags.add("--dtype", o->dtype, "type of the cached keys and values: as -ctk and -ctv", "TYPE");
  flags.add("-p,--n-prompt", o->bench.prefill, "tokens of prompts whose attention is timed as one step; 0: no such test");
  flags.add("--unfused", o->bench.unfused,
            "time prompts without fused attention too, and tell how much faster fused attention is");
  flags.add("--k1", o->k1, "query components that score all keys; 0: as --sparq-ratio says");
  flags.add("--k2", o->k2, "keys that are then attended to; 0: as --sparq-ratio says");
  flags.add("--sparq-ratio,--ratio", o->ratio, "how many times less a sparse step reads; 0: dense only");
  flags.add("--sparq-kt", o->bench.sparq.index, "copy of the keys by dimensions", "auto|int4|int8|f16");
  flags.add("--churn", o->churn, "decode in a cache where other sequences came and went, drawn from this seed", "SEED");
  flags.add("-r,--repetitions", o->bench.repetitions, "steps of each test; the median counts");
  o->roofline.declare(flags);
  o->compute.declare(flags);
  o->report.declare(flags);
  return [o, flags] {
    set_cache_types(*o, flags);
    if (flags.given("--churn")) o->bench.churn = o->churn;
    run(*o, flags.given("--k1") || flags.given("--k2") || flags.given("--sparq-ratio"));
  };
}

}  // namespace

extern const Command command_bench_attention;
const Command command_bench_attention{
    .name = "bench attention",
    .summary = "Measure attention alone, dense and sparse, at several lengths",
    .examples =
        "  skald bench attention\n"
        "  skald bench attention --heads 32 --kv-heads 8 --lengths 8192,32768 --sparq-kt f16\n"
        "  skald bench attention --lengths 1k..128k --ratio 8 -o svg > speed-up.svg\n"
        "  skald bench attention --lengths 8k --dtype q8_0 --ratio 0\n"
        "  skald bench attention --lengths 0 -p 1975 --unfused\n"
        "  skald bench attention --lengths 8k --kv-heads 8 --churn 1\n",
    .declare = declare_bench_attention};

}  // namespace skald
