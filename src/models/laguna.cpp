// Laguna: attention whose output is gated by softplus, head by head or value by value; as many query heads as each layer
// has. A window with an unscaled RoPE of its own in some layers; experts beside a shared one after dense layers. poolside,
// 2026.
#include "base/error.h"
#include "graph/ops/elementwise.h"
#include "models/family.h"
#include "models/parts/attention.h"
#include "models/parts/hparams.h"
#include "models/parts/moe.h"

namespace skald {

static Tensor gated(Net& blk, Tensor h, Tensor y, const DecoderParams& p) {
  const std::optional<Shape> shape = blk.shape_of("attn_gate.weight");
  const int64_t n = shape && shape->rows() == p.n_heads * p.d_v ? p.n_heads * p.d_v : p.n_heads;
  const Tensor gate = softplus(blk.linear("attn_gate", h, n));
  return y * gate;  // one number for each head, or for each of its values
}

static Tensor attention(Net& blk, Tensor h, const DecoderParams& p, KeyWindow window, const RopeSpec& rope) {
  Qkv a = with_head_rms_norms(blk, separate_qkv(blk, h, p), p);
  a = with_rope(blk, a, p, rope);
  const Tensor y = blk.attention(a.q, a.k, a.v, attention_of(p, window));
  return blk.linear("attn_output", gated(blk, h, y, p), p.d_model);
}

static Tensor build(Net& net, const MetaView& m) {
  const std::vector<DecoderParams> layers = read_decoder_layers(m);
  const DecoderParams& first = layers.front();
  ExpertLayers experts = read_routed_layers(net, m, first);
  if (!m.has("expert_shared_count") && !m.has("expert_shared_feed_forward_length")) experts.d_shared = experts.moe.d_ff;
  const RopeSpec rope = read_rope(net, m, first.d_k, RopePairs::kHalves);
  RopeSpec near = unscaled_local_rope(m, rope, rope.table.theta);
  if (m.has("rope.dimension_count_swa"))
    near.table.dims = static_cast<int32_t>(m.in_range("rope.dimension_count_swa", 2, first.d_k));
  const LayerWindows windows = m.has("attention.sliding_window")
                                   ? read_windows(m, first.n_layers, 4, {}, /*full_first=*/true)
                                   : no_windows(first.n_layers);
  const int64_t n_vocab = net.rows_of("token_embd.weight");

  Tensor x = net.embed("token_embd", n_vocab, first.d_model);  // (tokens, d_model)
  for (int64_t i = 0; i < first.n_layers; ++i) {
    const DecoderParams& p = layers[static_cast<size_t>(i)];
    Net blk = net.layer_at(i);  // names become blk.<i>.*
    const Tensor h = blk.rms_norm("attn_norm", x, p.eps);
    x = x + attention(blk, h, p, windows.of(i), windows.in(i) ? near : rope);
    x = x + expert_layer(blk, i, blk.rms_norm("ffn_norm", x, p.eps), p, experts);
  }
  x = net.rms_norm("output_norm", net.output_rows(x), first.eps);
  return net.unembed("output", x, n_vocab);
}

extern const Family family_laguna;
const Family family_laguna{
    .arch = "laguna", .build = build, .covers = "Laguna XS 30B-A3B, S, M", .verified = "LagunaForCausalLM"};

}  // namespace skald
