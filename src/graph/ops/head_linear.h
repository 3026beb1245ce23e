// head_linear: each head by a matrix of its own; x (rows, heads * k), W (heads, n, k) in any format -> (rows, heads * n).
#pragma once

#include "graph/ops/linear.h"

namespace skald {

extern const OpDef op_head_linear;

}  // namespace skald
