// Gemma 4: the attention of gemma_attention.h, embeddings of each layer in the small models, experts beside the dense
// feed-forward in others, a factor at each layer's end. Google DeepMind, 2026.
#include <cmath>

#include "models/family.h"
#include "models/parts/capped_logits.h"
#include "models/parts/ffn.h"
#include "models/parts/gemma_attention.h"
#include "models/parts/layer_embeddings.h"
#include "models/parts/moe.h"

namespace skald {
namespace {

std::optional<MoeParams> read_experts(const Net& net, const MetaView& m, const DecoderParams& p) {
  if (m.i64("expert_count", 0) <= 0) return {};
  MoeParams moe = read_moe(net, m, p);
  moe.activation = Activation::kGeluTanh;
  return moe;
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
  GemmaAttention attention(net, m, 6);
  const DecoderParams& first = attention.params(0);
  const std::optional<MoeParams> moe = read_experts(net, m, first);
  const int64_t n_vocab = net.rows_of("token_embd.weight");

  Tensor x = scale(net.embed("token_embd", n_vocab, first.d_model),
                   std::sqrt(static_cast<float>(first.d_model)));  // (tokens, d_model)
  const std::optional<LayerEmbeddings> added = LayerEmbeddings::read(net, m, x, first);
  for (int64_t i = 0; i < first.n_layers; ++i) {
    Net blk = net.layer_at(i);  // names become blk.<i>.*
    const Tensor h = attention.layer(blk, i, blk.rms_norm("attn_norm", x, first.eps));
    x = x + blk.rms_norm("post_attention_norm", h, first.eps);
    x = x + feed_forward(blk, x, attention.params(i), moe);
    if (added) x = x + added->layer(blk, i, x);
    if (blk.has_weight("layer_output_scale.weight")) x = x * blk.layer_vector("layer_output_scale.weight", 1);
  }
  x = net.rms_norm("output_norm", net.output_rows(x), first.eps);
  return capped_logits(net, m, x, n_vocab);
}

}  // namespace

extern const Family family_gemma4;
const Family family_gemma4{
    .arch = "gemma4", .build = build, .covers = "Gemma 4 E2B, E4B, 26B-A4B, 31B, text", .verified = "Gemma4ForCausalLM"};

}  // namespace skald
