// Scores of 8,192 keys by the key index on every tier of this machine, one thread: from the caches, and from memory, where
// each call reads another run. Items are keys.
#include <benchmark/benchmark.h>

#include <cstring>
#include <string>
#include <vector>

#include "kernels/api/tier.h"
#include "tensor/buffer.h"

namespace skald {
namespace {

constexpr int64_t kKeys = 8192;
constexpr int64_t kColdBytes = int64_t{400} << 20;  // larger than any last-level cache of one core

struct Case {
  KeyIndex kind;
  int64_t group, k1, d;
  bool cold;
};

void run(benchmark::State& state, const Tier* tier, const Case& c) {
  const KernelTable table = build_kernel_table(tier->name);
  const IndexColumns columns{kKeys, c.kind};
  const int64_t bytes = c.d * columns.stride(), runs = c.cold ? kColdBytes / bytes : 1;
  Buffer memory(runs * bytes);
  std::memset(memory.data(), 0x11, static_cast<size_t>(memory.size()));  // untouched pages would all be one
  std::vector<float> q(static_cast<size_t>(c.group * c.d), 0.5f);
  std::vector<float> scores(static_cast<size_t>(c.group * kKeys));
  std::vector<int32_t> dims;
  for (int64_t i = 0; i < c.k1; ++i) dims.push_back(static_cast<int32_t>(i * c.d / c.k1));
  int64_t at = 0;
  for (auto _ : state) {
    table.index_scores[static_cast<size_t>(c.kind)]({.q = q.data(),
                                                     .q_stride = c.d,
                                                     .group = c.group,
                                                     .dims = dims.data(),
                                                     .k1 = c.k1,
                                                     .run = memory.data() + at * bytes,
                                                     .next = nullptr,
                                                     .run_keys = kKeys,
                                                     .first = 0,
                                                     .n = kKeys,
                                                     .scores = scores.data(),
                                                     .scores_stride = kKeys});
    at = (at + 1) % runs;
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * kKeys);
  state.SetBytesProcessed(state.iterations() * c.k1 * columns.stride());
}

const bool kRegistered = [] {
  for (const Tier* tier : tiers())
    for (const KeyIndex kind : {KeyIndex::kInt4, KeyIndex::kInt8})
      for (const int64_t group : {1, 4, 6, 7})
        for (const int64_t k1 : {16, 51})
          for (const bool cold : {false, true}) {
            if (!tier->supported() || tier->rank == 0) continue;
            const std::string name = "index_scores/" + std::string(tier->name) +
                                     (kind == KeyIndex::kInt4 ? "/int4" : "/int8") + "/group:" + std::to_string(group) +
                                     "/k1:" + std::to_string(k1) + (cold ? "/memory" : "/caches");
            benchmark::RegisterBenchmark(name.c_str(), run, tier, Case{kind, group, k1, 128, cold});
          }
  return true;
}();

}  // namespace
}  // namespace skald
