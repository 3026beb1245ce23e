// Merging: an adapter's change added to the weight itself.
#pragma once

#include <cstdint>
#include <vector>

#include "adapters/adapter.h"
#include "tensor/shape.h"

namespace skald {

/// The rows of a change with a scale, in memory of their own.
class ChangeRows {
 public:
  /// Of a weight with the shape ([m,] n, k), or of a `table` (n, k) of tokens. Throws kBadFile naming the shapes of a change
  /// that is for another one.
  ChangeRows(const LowRank& change, const Shape& weight, float scale, bool table);

  /// Adds to w (k), the weight's row `row`, counted through all matrices. Any thread may.
  void add(int64_t row, float* w) const;

 private:
  int64_t n_, k_, rank_;
  std::vector<float> left_;   // ([m,] n, rank), times the factor and the scale
  std::vector<float> right_;  // ([m,] rank, k)
};

}  // namespace skald
