// swiglu_linear: y = silu(x G^T) * (x U^T), a gated feed-forward's first half; x (rows, k) f32, G and U (n, k) in any
// formats
// -> (rows, n) f32. x is brought into the kernels' form once, and neither product is written out as a whole.
#pragma once

#include "graph/ops/linear.h"

namespace skald {

extern const OpDef op_swiglu_linear;  // of Linear

}  // namespace skald
