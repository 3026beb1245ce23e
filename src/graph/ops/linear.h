// linear: y = x W^T; x (rows, k) f32, W (n, k) in any format -> (rows, n) f32. Several weights are multiplied by in one pass
// over x, as if they were one: their columns lie side by side.
#pragma once

#include "graph/op.h"

namespace skald {

extern const OpDef op_linear;

}  // namespace skald
