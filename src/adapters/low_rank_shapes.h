// The shapes of the two matrices that change a weight.
#pragma once

#include "tensor/shape.h"

namespace skald {

struct LowRankShapes {
  Shape a, b;

  /// Returns those of this rank for a weight ([m,] n, k), or a `table` (n, k) of tokens.
  static LowRankShapes of(const Shape& weight, int64_t rank, bool table) {
    LowRankShapes out{weight, weight};
    const int last = weight.rank() - 1;
    out.a[last - 1] = table ? weight[last - 1] : rank;
    out.a[last] = table ? rank : weight[last];
    out.b[last - 1] = table ? weight[last] : weight[last - 1];
    out.b[last] = rank;
    return out;
  }
};

}  // namespace skald
