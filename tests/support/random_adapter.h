// Made-up adapters of a model: a low-rank change of every weight that can have one.
#pragma once

#include <cmath>
#include <memory>
#include <string>

#include "adapters/gguf_adapter.h"
#include "graph/sites.h"
#include "loading/loaded_model.h"
#include "tests/support/random.h"

namespace skald::test {

inline constexpr int64_t kAdapterRank = 3;

inline Shape with_last(Shape shape, int64_t rows, int64_t cols) {
  shape[shape.rank() - 2] = rows;
  shape[shape.rank() - 1] = cols;
  return shape;
}

/// A change whose numbers have about this size.
inline LowRank random_change(const std::string& name, const Site& site, float size, uint64_t seed) {
  const Shape& w = site.shape;
  const int64_t n = w[w.rank() - 2], k = w.back();
  const Shape a = site.table ? Shape{n, kAdapterRank} : with_last(w, kAdapterRank, k);
  const Shape b = site.table ? Shape{k, kAdapterRank} : with_last(w, n, kAdapterRank);
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
