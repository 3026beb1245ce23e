// Gemma 4: layers with a sliding window, heads and RoPE of their own between full ones; last layers that attend to what
// earlier ones keep; embeddings of each layer; experts beside the dense feed-forward. Google DeepMind, 2026.
#include <cmath>

#include "base/error.h"
#include "models/family.h"
#include "models/parts/attention.h"
#include "models/parts/ffn.h"
#include "models/parts/hparams.h"
#include "models/parts/layer_embeddings.h"
#include "models/parts/moe.h"
#include "models/parts/norms.h"
#include "models/parts/shared_cache.h"

namespace skald {
namespace {

struct Gemma4 {
  std::vector<DecoderParams> layers;
  LayerWindows windows;
  float scale;
  RopeSpec rope = {}, near = {};
  std::optional<MoeParams> moe = {};
};

// Layers with a window have heads of another size.
std::vector<DecoderParams> read_layers(const MetaView& m, const LayerWindows& windows) {
  std::vector<DecoderParams> layers = read_decoder_layers(m);
  for (size_t i = 0; i < layers.size(); ++i) {
    if (!windows.local[i]) continue;
    if (m.has("attention.key_length_swa")) layers[i].d_k = m.in_range("attention.key_length_swa", 1, 65536);
    if (m.has("attention.value_length_swa")) layers[i].d_v = m.in_range("attention.value_length_swa", 1, 65536);
  }
  return layers;
}

Gemma4 read(Net& net, const MetaView& m) {
  const std::vector<DecoderParams> as_stored = read_decoder_layers(m);
  const LayerWindows windows = read_windows(m, std::ssize(as_stored), 6);
  Gemma4 p{.layers = read_layers(m, windows), .windows = windows, .scale = read_positive(m, "attention.scale", 1.0f)};
  p.rope = read_rope(net, m, as_stored.front().d_k, RopePairs::kHalves);
  p.near = unscaled_local_rope(m, p.rope, 10000);
  const int64_t near_d_k =
      m.has("attention.key_length_swa") ? m.in_range("attention.key_length_swa", 1, 65536) : as_stored.front().d_k;
  p.near.table.dims = static_cast<int32_t>(
      m.has("rope.dimension_count_swa") ? m.in_range("rope.dimension_count_swa", 2, near_d_k) : near_d_k);
  if (m.has("expert_count") && m.i64("expert_count") > 0) {
    p.moe = read_moe(net, m, p.layers.front());
    p.moe->activation = Activation::kGeluTanh;
  }
  return p;
}

// Where a layer has no projection of values, these are what keys are before their norm and RoPE.
Qkv project(Net& blk, Tensor h, const DecoderParams& p) {
  if (blk.has_weight("attn_qkv.weight") || blk.has_weight("attn_v.weight")) return separate_qkv(blk, h, p);
  const std::vector<Tensor> x = blk.linears({{"attn_q", p.n_heads * p.d_k}, {"attn_k", p.n_kv_heads * p.d_k}}, h);
  return {x[0], x[1], x[1]};
}

Tensor attention(Net& blk, int64_t i, Tensor h, const Gemma4& model, SharedCache& caches) {
  const int64_t owner = caches.owner_of(i);
  const DecoderParams& p = model.layers[static_cast<size_t>(owner)];  // heads of keys are the owner's
  const RopeSpec& rope = model.windows.in(i) ? model.near : model.rope;
  Attention a = attention_of(p, model.windows.of(i));
  a.n_heads = model.layers[static_cast<size_t>(i)].n_heads;
  a.scale = model.scale;
  if (owner != i) {
    const Tensor q = blk.rms_norm("attn_q_norm", blk.linear("attn_q", h, a.n_heads * a.d_k), p.eps, a.n_heads);
    return blk.linear("attn_output", blk.attention(blk.rope(q, a.d_k, rope), caches.of(i), a), p.d_model);
  }
  Qkv x = with_head_rms_norms(blk, project(blk, h, p), p);
  x.v = normalised(x.v, p.n_kv_heads, p.eps);
  x = with_rope(blk, x, p, rope);
  return blk.linear("attn_output", blk.attention(x.q, caches.keep(i, blk.cache(x.k, x.v, a)), a), p.d_model);
}

// The router reads x as the attention leaves it.
Tensor experts(Net& blk, Tensor x, const DecoderParams& p, const MoeParams& moe) {
  const Tensor h = blk.rms_norm_by(blk.layer_vector("ffn_gate_inp.scale", p.d_model), x, p.eps);
  const float share = 1.0f / std::sqrt(static_cast<float>(p.d_model));
  const ChosenExperts chosen = choose_by(blk, blk.linear("ffn_gate_inp", scale(h, share), moe.n_experts), moe);
  const Tensor y = mixed_ffn(blk, blk.rms_norm("pre_ffw_norm_2", x, p.eps), chosen, moe);
  return blk.rms_norm("post_ffw_norm_2", y, p.eps);
}

Tensor feed_forward(Net& blk, Tensor x, const DecoderParams& p, const std::optional<MoeParams>& moe) {
  Tensor y = gated_ffn(blk, blk.rms_norm("ffn_norm", x, p.eps), p.d_ff, Activation::kGeluTanh);
  if (moe && blk.has_weight("ffn_gate_inp.weight")) y = blk.rms_norm("post_ffw_norm_1", y, p.eps) + experts(blk, x, p, *moe);
  return blk.rms_norm("post_ffw_norm", y, p.eps);
}

Tensor build(Net& net, const MetaView& m) {
  const Gemma4 model = read(net, m);
  const DecoderParams& first = model.layers.front();
  const int64_t n_vocab = net.rows_of("token_embd.weight");
  SharedCache caches(read_shared_layers(m, first.n_layers), model.windows);

  Tensor x = scale(net.embed("token_embd", n_vocab, first.d_model),
                   std::sqrt(static_cast<float>(first.d_model)));  // (tokens, d_model)
  const std::optional<LayerEmbeddings> added = LayerEmbeddings::read(net, m, x, first);
  for (int64_t i = 0; i < first.n_layers; ++i) {
    const DecoderParams& p = model.layers[static_cast<size_t>(i)];
    Net blk = net.layer_at(i);  // names become blk.<i>.*
    const Tensor h = blk.rms_norm("attn_norm", x, p.eps);
    x = x + blk.rms_norm("post_attention_norm", attention(blk, i, h, model, caches), p.eps);
    x = x + feed_forward(blk, x, p, model.moe);
    if (added) x = x + added->layer(blk, i, x);
    if (blk.has_weight("layer_output_scale.weight")) x = x * blk.layer_vector("layer_output_scale.weight", 1);
  }
  x = net.rms_norm("output_norm", net.output_rows(x), first.eps);
  const Tensor logits = net.unembed("output", x, n_vocab);
  return m.has("final_logit_softcapping") ? softcap(logits, read_positive(m, "final_logit_softcapping")) : logits;
}

}  // namespace

extern const Family family_gemma4;
const Family family_gemma4{
    .arch = "gemma4", .build = build, .covers = "Gemma 4 E2B, E4B, 26B-A4B, 31B, text", .verified = "Gemma4ForCausalLM"};

}  // namespace skald
