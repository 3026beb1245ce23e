// expert_glu_linear: the first half of a gated feed-forward by each of a token's experts, f(x G^T) * (x U^T).
// Inputs: x (tokens, d), G and U (experts, n, d) in any formats, ids (tokens, k) i32 [, biases of both (experts, n)] [, what
// the products of both are multiplied by before (experts)] -> (tokens, k * n): a token's experts side by side.
#pragma once

#include "graph/ops/glu_linear.h"

namespace skald {

extern const OpDef op_expert_glu_linear;  // of Activate

}  // namespace skald
