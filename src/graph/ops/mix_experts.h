// mix_experts: the second half of a feed-forward by each of a token's experts, and their weighted sum, by rising id:
// y = sum over j of w_j (s_j h_j D_j^T + b_j).
// Inputs: h (tokens, k * n), D (experts, d, n) in any format, ids (tokens, k) i32, w (tokens, k) [, b (experts, d)]
// [, s (experts)] -> (tokens, d).
#pragma once

#include "graph/ops/linear.h"

namespace skald {

extern const OpDef op_mix_experts;

}  // namespace skald
