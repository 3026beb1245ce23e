#include "models/parts/delta_net.h"

#include "base/error.h"
#include "graph/ops/elementwise.h"
#include "models/parts/attention.h"

namespace skald {
namespace {

struct Gates {
  Tensor alpha, beta;  // (tokens, heads)
};

Gates gates_of(Net& blk, Tensor h, const DeltaNetParams& p) {
  if (!blk.has_weight("ssm_ba.weight")) {
    const std::vector<Tensor> x = blk.linears({{"ssm_alpha", p.heads}, {"ssm_beta", p.heads}}, h);
    return {x[0], x[1]};
  }
  const Tensor both = blk.linear("ssm_ba", h, 2 * p.heads);
  const int64_t n = p.heads / p.key_heads;
  return {blk.head_columns(both, p.key_heads, n, n), blk.head_columns(both, p.key_heads, 0, n)};
}

}  // namespace

DeltaNetParams read_delta_net(const MetaView& m, float eps, bool tiled) {
  const DeltaNetParams p{.taps = m.in_range("ssm.conv_kernel", 2, 16),
                         .key_heads = m.in_range("ssm.group_count", 1, 65536),
                         .heads = m.in_range("ssm.time_step_rank", 1, 65536),
                         .d_k = m.in_range("ssm.state_size", 1, 65536),
                         .d_inner = m.in_range("ssm.inner_size", 1, int64_t{1} << 24),
                         .tiled = tiled,
                         .eps = eps};
  if (p.d_inner % p.heads || p.heads % p.key_heads)
    fail(Errc::kBadFile, "key {}: {} values do not divide over {} heads with {} key heads", m.full("ssm.inner_size"),
         p.d_inner, p.heads, p.key_heads);
  return p;
}

Tensor delta_net(Net& blk, Tensor h, const DeltaNetParams& p) {
  const int64_t d_keys = p.key_heads * p.d_k;
  const std::vector<Tensor> in = blk.linears({{"attn_qkv", 2 * d_keys + p.d_inner}, {"attn_gate", p.d_inner}}, h);
  const Tensor qkv = blk.causal_conv("ssm_conv1d", in[0], p.taps, /*silu=*/true);
  const Gates gates = gates_of(blk, h, p);
  const Tensor g = softplus(gates.alpha + blk.layer_vector("ssm_dt.bias", p.heads));
  const Tensor y =
      blk.delta_net(blk.columns(qkv, 0, d_keys), blk.columns(qkv, d_keys, d_keys), blk.columns(qkv, 2 * d_keys, p.d_inner),
                    g, sigmoid(gates.beta), {.heads = p.heads, .key_heads = p.key_heads, .tiled = p.tiled, .eps = p.eps});
  return blk.linear("ssm_out", glu(in[1], blk.rms_norm("ssm_norm", y, p.eps, p.heads), Activation::kSilu), h.cols());
}

Tensor query_gated_attention(Net& blk, Tensor h, const DecoderParams& p, const RopeSpec& rope) {
  const std::vector<Tensor> in = blk.linears(
      {{"attn_q", 2 * p.n_heads * p.d_k}, {"attn_k", p.n_kv_heads * p.d_k}, {"attn_v", p.n_kv_heads * p.d_v}}, h);
  Qkv x{blk.head_columns(in[0], p.n_heads, 0, p.d_k), in[1], in[2]};
  x = with_head_rms_norms(blk, x, p);
  x = with_rope(blk, x, p, rope);
  const Tensor y = blk.attention(x.q, x.k, x.v, attention_of(p));
  return blk.linear("attn_output", glu(blk.head_columns(in[0], p.n_heads, p.d_k, p.d_k), y, Activation::kSigmoid),
                    p.d_model);
}

std::vector<bool> read_recurrent_layers(const MetaView& m, int64_t n_layers) {
  constexpr std::string_view kLayers = "attention.recurrent_layers", kInterval = "full_attention_interval";
  const int64_t interval = m.has(kInterval) ? m.in_range(kInterval, 1, 10000) : 4;
  if (m.has(kLayers)) return read_layer_flags(m, kLayers, n_layers);
  std::vector<bool> out;
  for (int64_t i = 1; i <= n_layers; ++i) out.push_back(i % interval != 0);
  return out;
}

}  // namespace skald
