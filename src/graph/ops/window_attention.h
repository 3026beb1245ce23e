// window_attention: attention of a static graph: over keys and values that are plain tensors of a fixed size.
// Inputs: q (tokens, n_heads * d_k), keys (n_kv_heads, rows, d_k), values (n_kv_heads, rows, d_v), positions (tokens)
// [, scale of keys (1), scale of values (1), for integers] [, sink logits (n_heads)] -> (tokens, n_heads * d_v).
// The last rows are those of the tokens themselves, the others belong to the positions before them: rows of positions below
// 0 are padding, which is masked, as is what lies outside of Attention::window.
#pragma once

#include "graph/ops/attention.h"

namespace skald {

extern const OpDef op_window_attention;

}  // namespace skald
