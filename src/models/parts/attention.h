// Attention blocks that families share.
#pragma once

#include "graph/net.h"
#include "models/parts/hparams.h"

namespace skald {

/// attn_output(attention(rope(attn_q h), rope(attn_k h), attn_v h)); h (tokens, d_model) -> as h.
/// `bias`: of queries, keys and values.
Tensor rope_attention(Net& blk, Tensor h, const DecoderParams& p, const RopeSpec& rope, Bias bias = Bias::kIfPresent);

}  // namespace skald
