// mean: the mean of each row, (rows, n) -> (rows, 1).
#pragma once

#include "graph/graph.h"

namespace skald {

extern const OpDef op_mean;

Tensor mean(Tensor x);

}  // namespace skald
