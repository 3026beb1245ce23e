// softplus: ln(1 + exp(x)), element-wise.
#pragma once

#include "graph/graph.h"

namespace skald {

extern const OpDef op_softplus;

Tensor softplus(Tensor x);

}  // namespace skald
