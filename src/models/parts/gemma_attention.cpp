#include "models/parts/gemma_attention.h"

#include "models/parts/attention.h"
#include "models/parts/norms.h"

namespace skald {
namespace {

constexpr int64_t kMaxHead = 65536;  // values

// Layers with a window may have heads of another size.
std::vector<DecoderParams> read_layers(const MetaView& m, const LayerWindows& windows) {
  std::vector<DecoderParams> layers = read_decoder_layers(m);
  for (size_t i = 0; i < layers.size(); ++i) {
    if (!windows.local[i]) continue;
    if (m.has("attention.key_length_swa")) layers[i].d_k = m.in_range("attention.key_length_swa", 1, kMaxHead);
    if (m.has("attention.value_length_swa")) layers[i].d_v = m.in_range("attention.value_length_swa", 1, kMaxHead);
  }
  return layers;
}

RopeSpec near_rope(const MetaView& m, const RopeSpec& rope, int64_t d_k) {
  RopeSpec near = unscaled_local_rope(m, rope, 10000);
  near.table.dims =
      static_cast<int32_t>(m.has("rope.dimension_count_swa") ? m.in_range("rope.dimension_count_swa", 2, d_k) : d_k);
  return near;
}

// Of the first layer with a window, or without; of any where there is none.
int64_t head_size(const std::vector<DecoderParams>& layers, const LayerWindows& windows, bool local) {
  for (size_t i = 0; i < layers.size(); ++i)
    if (windows.local[i] == local) return layers[i].d_k;
  return layers.front().d_k;
}

// Where a layer has no projection of values, they are the keys before their norm and RoPE.
Qkv project(Net& blk, Tensor h, const DecoderParams& p) {
  if (blk.has_weight("attn_qkv.weight") || blk.has_weight("attn_v.weight")) return separate_qkv(blk, h, p);
  const std::vector<Tensor> x = blk.linears({{"attn_q", p.n_heads * p.d_k}, {"attn_k", p.n_kv_heads * p.d_k}}, h);
  return {x[0], x[1], x[1]};
}

}  // namespace

GemmaAttention::GemmaAttention(Net& net, const MetaView& m, int64_t period)
    : windows_(read_windows(m, read_layer_count(m), period)),
      layers_(read_layers(m, windows_)),
      rope_(read_rope(net, m, head_size(layers_, windows_, false), RopePairs::kHalves)),
      near_(near_rope(m, rope_, head_size(layers_, windows_, true))),
      scale_(read_positive(m, "attention.scale", 1.0f)),
      caches_(read_shared_layers(m, n_layers()), windows_) {}

Tensor GemmaAttention::layer(Net& blk, int64_t i, Tensor h) {
  const int64_t owner = caches_.owner_of(i);
  const DecoderParams& p = params(owner);
  const RopeSpec& rope = windows_.in(i) ? near_ : rope_;
  Attention a = attention_of(p, windows_.of(i));
  a.n_heads = params(i).n_heads;
  a.scale = scale_;
  Tensor q;
  if (owner == i) {
    Qkv x = with_head_rms_norms(blk, project(blk, h, p), p);
    x.v = normalised(x.v, p.n_kv_heads, p.eps);
    x = with_rope(blk, x, p, rope);
    caches_.keep(i, blk.cache(x.k, x.v, a));
    q = x.q;
  } else {
    q = blk.rms_norm("attn_q_norm", blk.linear("attn_q", h, a.n_heads * a.d_k), p.eps, a.n_heads);
    q = blk.rope(q, a.d_k, rope);
  }
  return blk.linear("attn_output", blk.attention(q, caches_.of(i), a), p.d_model);
}

}  // namespace skald
