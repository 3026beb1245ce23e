// select_top on every tier of this machine, one thread, hot: the k2 of n keys of sparse attention, and its k1 of d query
// components; beside it std::nth_element on (value, index) pairs, with the sort of the chosen indices.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "kernels/api/tier.h"

namespace skald {
namespace {

struct Case {
  int64_t n, k;
  bool positive;  // |values|, as sums of query components; else as scores
};

/// About normal: sums of twelve uniform numbers.
std::vector<float> scores(const Case& c) {
  Rng rng(1);
  std::vector<float> out(static_cast<size_t>(c.n));
  for (float& x : out) {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += rng.uniform();
    x = static_cast<float>(c.positive ? std::abs(sum) : sum);
  }
  return out;
}

void run(benchmark::State& state, const Tier* tier, const Case& c) {
  const KernelTable table = build_kernel_table(tier->name);
  const std::vector<float> x = scores(c);
  std::vector<int32_t> indices(static_cast<size_t>(c.k)), scratch(static_cast<size_t>(select_top_scratch(c.n)));
  for (auto _ : state) {
    table.select_top({.x = x.data(), .indices = indices.data(), .n = c.n, .k = c.k, .scratch = scratch.data()});
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * c.n);
}

void run_nth_element(benchmark::State& state, const Case& c) {
  using Pair = std::pair<float, int32_t>;
  const std::vector<float> x = scores(c);
  std::vector<Pair> pairs(x.size());
  std::vector<int32_t> indices(static_cast<size_t>(c.k));
  const auto before = [](const Pair& a, const Pair& b) {
    return a.first > b.first || (a.first == b.first && a.second < b.second);
  };
  for (auto _ : state) {
    for (size_t i = 0; i < x.size(); ++i) pairs[i] = {x[i], static_cast<int32_t>(i)};
    std::nth_element(pairs.begin(), pairs.begin() + c.k, pairs.end(), before);
    for (size_t i = 0; i < indices.size(); ++i) indices[i] = pairs[i].second;
    std::ranges::sort(indices);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * c.n);
}

const bool kRegistered = [] {
  std::vector<Case> cases;
  for (int64_t n : {2048, 8192, 32768, 131072}) cases.push_back({n, n / 16, false});
  for (int64_t k : {8, 16, 28, 64}) cases.push_back({k == 64 ? 256 : 128, k, true});
  for (const Case& c : cases) {
    const std::string size = "/" + std::to_string(c.k) + "of" + std::to_string(c.n);
    for (const Tier* tier : tiers())
      if (tier->supported())
        benchmark::RegisterBenchmark(("select_top/" + std::string(tier->name) + size).c_str(), run, tier, c);
    benchmark::RegisterBenchmark(("select_top/nth_element" + size).c_str(), run_nth_element, c);
  }
  return true;
}();

}  // namespace
}  // namespace skald
