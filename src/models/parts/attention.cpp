#include "models/parts/attention.h"

namespace skald {

Tensor rope_attention(Net& blk, Tensor h, const DecoderParams& p, const RopeSpec& rope, Bias bias) {
  const Tensor q = blk.rope(blk.linear("attn_q", h, p.n_heads * p.d_k, Shard::kRows, bias), p.d_k, rope);
  const Tensor k = blk.rope(blk.linear("attn_k", h, p.n_kv_heads * p.d_k, Shard::kRows, bias), p.d_k, rope);
  const Tensor v = blk.linear("attn_v", h, p.n_kv_heads * p.d_v, Shard::kRows, bias);
  return blk.linear("attn_output", blk.attention(q, k, v, attention_of(p)), h.cols(), Shard::kCols);
}

}  // namespace skald
