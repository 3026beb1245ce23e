// silu: x / (1 + exp(-x)), element-wise.
#pragma once

#include "graph/graph.h"

namespace skald {

extern const OpDef op_silu;

Tensor silu(Tensor x);

}  // namespace skald
