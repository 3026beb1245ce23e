// mix_experts_part: as mix_experts, of a part of the experts (D, biases and factors of these alone): an addend of the sum,
// which has nothing of a token's other experts.
#pragma once

#include "graph/ops/experts_part.h"
#include "graph/ops/mix_experts.h"

namespace skald {

extern const OpDef op_mix_experts_part;  // of ExpertsPart

}  // namespace skald
