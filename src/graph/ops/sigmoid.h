// sigmoid: 1 / (1 + exp(-x)), element-wise.
#pragma once

#include "graph/graph.h"

namespace skald {

extern const OpDef op_sigmoid;

Tensor sigmoid(Tensor x);

}  // namespace skald
