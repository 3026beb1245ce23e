// attention_mask: scale, cap and ALiBi for the scores that a row may see, -infinity for the others.
// Inputs: attention_scores -> as it.
#pragma once

#include "graph/ops/attention.h"

namespace skald {

extern const OpDef op_attention_mask;

}  // namespace skald
