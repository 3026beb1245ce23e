// Norms without weights.
#pragma once

#include "graph/graph.h"

namespace skald {

/// x over the root mean square of each of `parts` equal parts of a row (heads); as x.
Tensor normalised(Tensor x, int64_t parts, float eps);

/// Builds the square root of numbers from 0 on, element-wise.
Tensor root(Tensor x);

/// The addend of root() and its inverse that keeps 0 finite.
inline constexpr float kTinySquare = 1e-30f;

}  // namespace skald
