// Choosing a token beside one softmax over the same logits, on one thread.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/rng.h"
#include "sampling/sampler.h"

namespace skald {
namespace {

// Of a model that is rather sure: unit variance times 3.
std::vector<float> logits_of(int64_t n) {
  Rng rng(1);
  std::vector<float> out(static_cast<size_t>(n));
  for (float& x : out) {
    double sum = 0;
    for (int i = 0; i < 4; ++i) sum += rng.uniform() - 0.5;
    x = static_cast<float>(sum * 1.7 * 3);
  }
  return out;
}

// The yardstick: the best logit, exponentials by std::exp, their sum, shares.
void softmax(benchmark::State& state) {
  const std::vector<float> logits = logits_of(state.range(0));
  std::vector<float> shares(logits.size());
  for (auto _ : state) {
    const float best = *std::ranges::max_element(logits);
    float sum = 0;
    for (size_t i = 0; i < logits.size(); ++i) sum += shares[i] = std::exp(logits[i] - best);
    for (float& s : shares) s /= sum;
    benchmark::DoNotOptimize(shares.data());
    benchmark::ClobberMemory();
  }
}

void sample(benchmark::State& state, SamplingParams params) {
  const std::vector<float> logits = logits_of(state.range(0));
  params.seed = 7;
  Sampler sampler(params);
  for (auto _ : state) benchmark::DoNotOptimize(sampler.pick(logits));
}

void sizes(benchmark::internal::Benchmark* b) { b->Arg(32000)->Arg(128256)->Arg(262144)->Unit(benchmark::kMicrosecond); }

BENCHMARK(softmax)->Apply(sizes);
BENCHMARK_CAPTURE(sample, greedy, {.temperature = 0})->Apply(sizes);
BENCHMARK_CAPTURE(sample, defaults, {})->Apply(sizes);
BENCHMARK_CAPTURE(sample, top_k_0, {.top_k = 0})->Apply(sizes);
BENCHMARK_CAPTURE(sample, top_k_0_top_p_1_min_p_0, {.top_k = 0, .top_p = 1, .min_p = 0})->Apply(sizes);

}  // namespace
}  // namespace skald
