// Made-up adapters of a model: a low-rank change of every weight that can have one.
#pragma once

#include <cmath>
#include <memory>
#include <string>

#include "adapters/gguf_adapter.h"
#include "adapters/low_rank_shapes.h"
#include "graph/sites.h"
#include "loading/loaded_model.h"
#include "tests/support/random.h"

namespace skald::test {

inline constexpr int64_t kAdapterRank = 3;

/// A change whose numbers have about this size.
inline LowRank random_change(const std::string& name, const Site& site, float size, uint64_t seed) {
  const auto [a, b] = LowRankShapes::of(site.shape, kAdapterRank, site.table);
  const float spread = std::sqrt(size / std::sqrt(static_cast<float>(kAdapterRank)));
  return {.a = {name, normal(a.elements(), seed, spread), a},
          .b = {name, normal(b.elements(), seed + 1, spread), b},
          .factor = 0.75f};
}

inline Adapter random_adapter(const LoadedModel& model, float size, uint64_t seed) {
  Adapter out;
  out.name = "random";
  out.arch = model.arch();
  for (const auto& [name, site] : sites_of(model.build_graph({1, 1})))
    out.changes.emplace(name, random_change(name, site, size, seed += 2));
  return out;
}

}  // namespace skald::test
