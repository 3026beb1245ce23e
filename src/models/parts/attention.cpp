#include "models/parts/attention.h"

namespace skald {
namespace {

Qkv of_three(Net& blk, Tensor h, const DecoderParams& p, Bias bias) {
  const std::vector<Tensor> x = blk.linears(
      {{"attn_q", p.n_heads * p.d_k}, {"attn_k", p.n_kv_heads * p.d_k}, {"attn_v", p.n_kv_heads * p.d_v}}, h, bias);
  return {x[0], x[1], x[2]};
}

Qkv of_one(Net& blk, Tensor h, const DecoderParams& p, Bias bias) {
  const int64_t q = p.n_heads * p.d_k, k = p.n_kv_heads * p.d_k, v = p.n_kv_heads * p.d_v;
  const Tensor x = blk.linear("attn_qkv", h, q + k + v, bias);
  return {blk.columns(x, 0, q), blk.columns(x, q, k), blk.columns(x, q + k, v)};
}

}  // namespace

Qkv separate_qkv(Net& blk, Tensor h, const DecoderParams& p, Bias bias) {
  return blk.has_weight("attn_qkv.weight") ? of_one(blk, h, p, bias) : of_three(blk, h, p, bias);
}

Qkv packed_qkv(Net& blk, Tensor h, const DecoderParams& p, Bias bias) {
  return blk.has_weight("attn_q.weight") ? of_three(blk, h, p, bias) : of_one(blk, h, p, bias);
}

Qkv with_head_rms_norms(Net& blk, const Qkv& x, const DecoderParams& p) {
  return {blk.rms_norm("attn_q_norm", x.q, p.eps, p.n_heads), blk.rms_norm("attn_k_norm", x.k, p.eps, p.n_kv_heads), x.v};
}

Qkv with_rms_norms(Net& blk, const Qkv& x, const DecoderParams& p) {
  return {blk.rms_norm("attn_q_norm", x.q, p.eps), blk.rms_norm("attn_k_norm", x.k, p.eps), x.v};
}

Qkv with_head_norms(Net& blk, const Qkv& x, const DecoderParams& p) {
  if (!blk.has_weight("attn_q_norm.weight")) return x;
  return {blk.layer_norm_parts("attn_q_norm", x.q, p.eps, p.n_heads),
          blk.layer_norm_parts("attn_k_norm", x.k, p.eps, p.n_kv_heads), x.v};
}

Qkv with_rope(Net& blk, const Qkv& x, const DecoderParams& p, const RopeSpec& rope) {
  return {blk.rope(x.q, p.d_k, rope), blk.rope(x.k, p.d_k, rope), x.v};
}

Qkv normed_behind_rope(Net& blk, Tensor h, const DecoderParams& p, const RopeSpec& rope) {
  return with_head_rms_norms(blk, with_rope(blk, separate_qkv(blk, h, p), p, rope), p);
}

Tensor gated_attend(Net& blk, Tensor h, const Qkv& x, const Attention& a, int64_t d_model) {
  const Tensor gate = blk.linear("attn_gate", h, a.n_heads * a.d_v);
  return blk.linear("attn_output", glu(gate, blk.attention(x.q, x.k, x.v, a), Activation::kSigmoid), d_model);
}

Tensor attend(Net& blk, const Qkv& x, const Attention& attention, int64_t d_model) {
  return blk.linear("attn_output", blk.attention(x.q, x.k, x.v, attention), d_model);
}

Tensor rope_attention(Net& blk, Tensor h, const DecoderParams& p, const RopeSpec& rope, Bias bias) {
  Qkv x = separate_qkv(blk, h, p, bias);
  if (p.temperature) x.q = blk.temper(x.q, *p.temperature);
  return attend(blk, with_rope(blk, x, p, rope), attention_of(p), p.d_model);
}

}  // namespace skald
