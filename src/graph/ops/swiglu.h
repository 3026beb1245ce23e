// swiglu: silu(gate) * up, element-wise; Shazeer, arXiv 2002.05202.
#pragma once

#include "graph/graph.h"

namespace skald {

extern const OpDef op_swiglu;

Tensor swiglu(Tensor gate, Tensor up);

}  // namespace skald
