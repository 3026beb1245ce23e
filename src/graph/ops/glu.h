// glu: f(gate) * up, element-wise, a gated linear unit; Shazeer, arXiv 2002.05202.
#pragma once

#include "graph/ops/activation.h"

namespace skald {

extern const OpDef op_glu;  // of Activate

Tensor glu(Tensor gate, Tensor up, Activation function);

}  // namespace skald
