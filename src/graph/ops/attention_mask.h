// attention_mask: scale, cap, ALiBi and biases for the scores that a row may see, -infinity for the others.
// Inputs: attention_scores [, biases by distance, as attention has them] -> as the scores.
#pragma once

#include "graph/ops/attention.h"

namespace skald {

extern const OpDef op_attention_mask;

}  // namespace skald
