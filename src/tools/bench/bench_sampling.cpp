#include "tools/bench/bench_sampling.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <ranges>

#include "base/rng.h"
#include "base/thread_seconds.h"
#include "base/want.h"
#include "sampling/filter.h"
#include "sampling/number_table.h"
#include "sampling/sampler.h"
#include "sampling/softmax.h"
#include "tools/bench/median.h"

namespace skald {
namespace {

constexpr int kWarmUps = 3;

// Beside other programs the thread waits for a processor longer than a chain takes.
template <class Fn>
double microseconds(Fn fn) {
  const double start = thread_seconds();
  fn();
  return 1e6 * (thread_seconds() - start);
}

// Box and Muller's (1958).
std::vector<float> normal_logits(int64_t n, float spread) {
  Rng rng(1);
  std::vector<float> out(static_cast<size_t>(n));
  for (float& x : out)
    x = spread *
        static_cast<float>(std::sqrt(-2 * std::log(1 - rng.uniform())) * std::cos(2 * std::numbers::pi * rng.uniform()));
  return out;
}

void check(const SamplingBenchOptions& o) {
  want(o.n_vocab >= 1 && o.n_vocab <= 1 << 26, "bench.n_vocab", "1 to 67108864");
  want(o.spread > 0 && o.spread <= 1000, "bench.spread", "a number above 0, at most 1000");
  want(o.history >= 0 && o.history <= 1 << 20, "bench.history", "0 to 1048576");
  want(o.repetitions >= 1 && o.repetitions <= 10000, "bench.repetitions", "1 to 10000");
  for (const auto& chain : o.chains) chain.params.check(o.n_vocab);
}

SamplingBenchRow time_chain(const SamplingBenchOptions& o, const SamplingBenchOptions::Chain& chain,
                            const std::vector<float>& logits) {
  Sampler sampler(chain.params);
  Rng rng(2);
  for (int64_t i = 0; i < o.history; ++i)
    sampler.accept(static_cast<TokenId>(rng.next() % static_cast<uint64_t>(std::min<int64_t>(o.n_vocab, 64))));
  std::vector<float> probabilities;
  std::vector<double> chain_us, softmax_us;
  SamplingBenchRow row{.name = chain.name};
  for (int i = -kWarmUps; i < o.repetitions; ++i) {
    const double softmax_time = microseconds([&] { softmax(logits, probabilities); });
    const double chain_time = microseconds([&] { sampler.pick(logits); });
    if (i < 0) continue;
    softmax_us.push_back(softmax_time);
    chain_us.push_back(chain_time);
  }
  row.left = static_cast<int64_t>(sampler.narrow(logits).size());
  row.chain_us = median(std::move(chain_us));
  row.softmax_us = median(std::move(softmax_us));
  return row;
}

}  // namespace

SamplingParams switched_on(SamplingParams p) {
  for (const FilterDef* const filter : sampling_filters()) {
    if (std::ranges::find(p.samplers, filter->name) == p.samplers.end() || filter->make(p)) continue;
    for (const SamplingNumber& number : sampling_numbers())
      if (number.sampler == filter->name && number.trial) number.set(p, static_cast<double>(*number.trial));
  }
  return p;
}

SamplingBenchResult run_sampling_bench(const SamplingBenchOptions& options) {
  check(options);
  const std::vector<float> logits = normal_logits(options.n_vocab, options.spread);
  SamplingBenchResult out{.n_vocab = options.n_vocab, .spread = options.spread, .rows = {}};
  for (const auto& chain : options.chains) out.rows.push_back(time_chain(options, chain, logits));
  return out;
}

}  // namespace skald
