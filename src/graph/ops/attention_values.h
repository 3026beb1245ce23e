// attention_values: each row's weighted sum of the values of its sequence, the last part of attention that is not fused.
// Inputs: weights (tokens, n_heads * slots), the layer's kv_append -> (tokens, n_heads * d_v).
#pragma once

#include "graph/ops/attention.h"

namespace skald {

extern const OpDef op_attention_values;

}  // namespace skald
