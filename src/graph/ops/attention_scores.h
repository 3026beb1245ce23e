// attention_scores: q k^T of each row with the keys of its sequence, the first part of attention that is not fused.
// Inputs: q (tokens, n_heads * d_k), the layer's kv_append [, q for the kept keys] -> (tokens, n_heads * slots); slots
// beyond the sequence's are not written.
#pragma once

#include "graph/ops/attention.h"

namespace skald {

/// Columns of a head: slots of the cache (KvView) that a sequence may have, those between dropped keys included.
int64_t attention_slots(const Attention& a);

extern const OpDef op_attention_scores;

}  // namespace skald
