#include "models/parts/attention.h"

namespace skald {

Tensor rope_attention(Net& blk, Tensor h, const DecoderParams& p, const RopeSpec& rope, Bias bias) {
  const std::vector<Tensor> qkv =
      blk.linears({{"attn_q", p.n_heads * p.d_k}, {"attn_k", p.n_kv_heads * p.d_k}, {"attn_v", p.n_kv_heads * p.d_v}}, h,
                  Shard::kRows, bias);
  const Tensor q = blk.rope(qkv[0], p.d_k, rope), k = blk.rope(qkv[1], p.d_k, rope);
  return blk.linear("attn_output", blk.attention(q, k, qkv[2], attention_of(p)), h.cols(), Shard::kCols);
}

}  // namespace skald
