#include "models/parts/granite.h"

#include "models/parts/attention.h"
#include "models/parts/ffn.h"

namespace skald {
namespace {

Tensor attention(Net& blk, Tensor h, const GraniteParams& g, int64_t i) {
  const DecoderParams& p = g.layers[static_cast<size_t>(i)];
  Attention a = attention_of(p, g.windows.of(i));
  a.scale = g.scale.value_or(a.scale);
  a.sink_logits = g.sink_logits;
  const Qkv x = separate_qkv(blk, h, p);
  return attend(blk, g.rotated[static_cast<size_t>(i)] ? with_rope(blk, x, p, g.rope) : x, a, p.d_model);
}

}  // namespace

GraniteParams read_granite(Net& net, const MetaView& m) {
  GraniteParams g{.layers = read_decoder_layers(m),
                  .scale = {},
                  .rope = {},
                  .experts = {},
                  .windows = {},
                  .mamba = {},
                  .rotated = {},
                  .embedding_scale = read_positive(m, "embedding_scale", 1),
                  .residual_scale = read_positive(m, "residual_scale", 1),
                  .logit_scale = read_positive(m, "logit_scale")};
  const DecoderParams& first = g.layers.front();
  if (m.has("attention.scale")) g.scale = read_positive(m, "attention.scale");
  g.rope = read_rope(net, m, first.d_k, RopePairs::kInterleaved);
  g.windows = no_windows(first.n_layers);
  g.rotated.assign(g.layers.size(), true);
  if (m.i64("expert_count", 0) > 0) {
    g.experts = read_expert_layers(net, m, first);
  } else {  // keys of experts in files that have none are read, and of no use
    for (const char* key : {"expert_used_count", "expert_shared_feed_forward_length"}) m.has(key);
  }
  return g;
}

Tensor granite_decoder(Net& net, const GraniteParams& g) {
  const DecoderParams& first = g.layers.front();
  const int64_t n_vocab = net.rows_of("token_embd.weight");

  Tensor x = scale(net.embed("token_embd", n_vocab, first.d_model), g.embedding_scale);  // (tokens, d_model)
  for (int64_t i = 0; i < first.n_layers; ++i) {
    const DecoderParams& p = g.layers[static_cast<size_t>(i)];
    Net blk = net.layer_at(i);  // names become blk.<i>.*
    Tensor h = blk.rms_norm("attn_norm", x, p.eps);
    const bool recurs = g.mamba && p.n_kv_heads == 0;
    x = x + scale(recurs ? mamba2(blk, h, *g.mamba) : attention(blk, h, g, i), g.residual_scale);
    h = blk.rms_norm("ffn_norm", x, p.eps);
    const Tensor y = g.experts ? expert_layer(blk, i, h, p, *g.experts) : gated_ffn(blk, h, p.d_ff, Activation::kSilu);
    x = x + scale(y, g.residual_scale);
  }
  x = net.rms_norm("output_norm", net.output_rows(x), first.eps);
  return scale(net.unembed("output", x, n_vocab), 1 / g.logit_scale);
}

}  // namespace skald
