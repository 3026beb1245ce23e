// Attention blocks that families share.
#pragma once

#include "graph/net.h"
#include "models/parts/hparams.h"

namespace skald {

struct Qkv {
  Tensor q, k, v;  // (tokens, heads * d), as many heads and sizes as DecoderParams says of each
};

/// Queries, keys and values of h (tokens, d_model). Files of any family have attn_q, attn_k and attn_v, or one attn_qkv: the
/// rows of all queries, all keys, all values. The name says which of them the family's files usually have.
Qkv separate_qkv(Net& blk, Tensor h, const DecoderParams& p, Bias bias = Bias::kIfPresent);
Qkv packed_qkv(Net& blk, Tensor h, const DecoderParams& p, Bias bias = Bias::kIfPresent);

/// With an RMS norm, attn_q_norm and attn_k_norm, on each query and key head; or on all query heads together, and all key
/// heads.
Qkv with_head_rms_norms(Net& blk, const Qkv& x, const DecoderParams& p);
Qkv with_rms_norms(Net& blk, const Qkv& x, const DecoderParams& p);

/// With a LayerNorm, of weights of its own, on each query and key head, where the file has such norms.
Qkv with_head_norms(Net& blk, const Qkv& x, const DecoderParams& p);

/// With queries and keys rotated.
Qkv with_rope(Net& blk, const Qkv& x, const DecoderParams& p, const RopeSpec& rope);

/// Queries, keys and values of h with RoPE and, after it, with_head_rms_norms().
Qkv normed_behind_rope(Net& blk, Tensor h, const DecoderParams& p, const RopeSpec& rope);

/// attn_output(attention(q, k, v)) -> (tokens, d_model).
Tensor attend(Net& blk, const Qkv& x, const Attention& attention, int64_t d_model);

/// attn_output(attention(q, k, v) * sigmoid(attn_gate(h))) -> (tokens, d_model).
Tensor gated_attend(Net& blk, Tensor h, const Qkv& x, const Attention& attention, int64_t d_model);

/// attend(rope(separate_qkv(h))), which is most families' attention.
Tensor rope_attention(Net& blk, Tensor h, const DecoderParams& p, const RopeSpec& rope, Bias bias = Bias::kIfPresent);

}  // namespace skald
