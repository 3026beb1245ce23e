// expert_glu_part: as expert_glu_linear, of a part of the experts (G, U, biases and factors of these alone). What it gives
// of a token's other experts is undefined.
#pragma once

#include "graph/ops/expert_glu_linear.h"
#include "graph/ops/experts_part.h"

namespace skald {

extern const OpDef op_expert_glu_part;  // of ExpertGluPart

}  // namespace skald
