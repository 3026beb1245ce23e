// skald bench sampling: the cost per token of a chain of samplers.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "cli/command.h"
#include "cli/flags/common.h"
#include "cli/flags/sampling.h"
#include "tools/bench/bench_sampling.h"

namespace skald {
namespace {

struct BenchSamplingArgs {
  SamplingBenchOptions bench;
  SamplingFlags sampling;
  ReportFlags report;
};

std::string name_of(const SamplingParams& p) {
  if (p.mirostat) return fmt::format("mirostat {}", p.mirostat);
  return p.samplers.empty() ? "none" : fmt::format("{}", fmt::join(p.samplers, ";"));
}

// Without --samplers: the default chain, each sampler alone, and all together.
std::vector<SamplingBenchOptions::Chain> usual_chains(const SamplingParams& given) {
  std::vector<SamplingBenchOptions::Chain> out = {{"default", given}};
  SamplingParams p = given;
  std::vector<std::string> all = SamplingParams::default_samplers();
  all.emplace_back("adaptive_p");
  for (const std::string& sampler : all) {
    p.samplers = {sampler};
    out.push_back({sampler, switched_on(p)});
  }
  p.samplers = all;
  out.push_back({"all", switched_on(p)});
  return out;
}

void run(const BenchSamplingArgs& o, bool one_chain) {
  o.report.check("bench sampling");
  SamplingBenchOptions bench = o.bench;
  const SamplingParams given =
      o.sampling.with(SamplingParams{}, [](std::span<const std::string>) -> std::vector<std::vector<TokenId>> {
        throw UsageError("bench sampling: --dry-sequence-breaker: there is no vocabulary here; use --dry-breaker-ids");
      });
  if (one_chain)
    bench.chains = {{name_of(given), switched_on(given)}};
  else
    bench.chains = usual_chains(given);
  for (auto& chain : bench.chains)
    if (chain.params.seed == SamplingParams::kRandomSeed) chain.params.seed = 1;
  const SamplingBenchResult result = check_usage([&] { return run_sampling_bench(bench); });
  o.report.print({.md = [&] { return sampling_bench_markdown(result); },
                  .json = [&] { return sampling_bench_json(result); },
                  .csv = [&] { return sampling_bench_csv(result); }});
}

Action declare_bench_sampling(Flags& flags) {
  auto o = std::make_shared<BenchSamplingArgs>();
  flags.add("--vocab", o->bench.n_vocab, "logits of a row");
  flags.add("--spread", o->bench.spread, "their standard deviation");
  flags.add("--history", o->bench.history, "tokens of text before");
  flags.add("-r,--repetitions", o->bench.repetitions, "times that each chain is run, a softmax after each; medians count");
  o->report.declare(flags);
  o->sampling.declare(flags);
  return [o, flags] { run(*o, flags.given("--samplers") || flags.given("--sampler-seq") || flags.given("--mirostat")); };
}

}  // namespace

extern const Command command_bench_sampling;
const Command command_bench_sampling{
    .name = "bench sampling",
    .summary = "Measure the cost of choosing a token, beside a softmax over the same logits",
    .examples =
        "  skald bench sampling\n"
        "  skald bench sampling --vocab 262144 --samplers \"top_n_sigma;temperature;top_p\" --temp 1.5\n"
        "  skald bench sampling --spread 0.5 --samplers typ_p --typical 0.95 -o json\n",
    .declare = declare_bench_sampling};

}  // namespace skald
