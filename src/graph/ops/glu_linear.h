// glu_linear: y = f(x G^T) * (x U^T), a gated feed-forward's first half; x (rows, k) f32, G and U (n, k) in any formats
// -> (rows, n) f32. x is brought into the kernels' form once, and neither product is written out as a whole.
#pragma once

#include "graph/ops/activation.h"

namespace skald {

extern const OpDef op_glu_linear;  // of Activate

}  // namespace skald
