#include "models/parts/nemotron_h.h"

#include <algorithm>
#include <optional>
#include <span>

#include "base/error.h"
#include "models/parts/attention.h"
#include "models/parts/decoder.h"
#include "models/parts/ffn.h"
#include "models/parts/mamba2.h"
#include "models/parts/moe.h"

namespace skald {
namespace {

// relu(x)^2 = relu(x) * x: up is the gate of itself.
constexpr Activation kOfGate = Activation::kRelu;

Tensor shared_expert(Net& blk, Tensor h, int64_t d_ff) {
  return blk.linear("ffn_down_shexp", activation(blk.linear("ffn_up_shexp", h, d_ff), Activation::kReluSquared), h.cols());
}

// Experts without gates, which may work in a narrower space than the rest of the model.
Tensor experts(Net& blk, Tensor h, const ExpertLayers& layers, int64_t d_latent) {
  const MoeParams& p = layers.moe;
  const ChosenExperts chosen = choose(blk, h, p);
  const Tensor x = d_latent ? blk.linear("ffn_latent_down", h, d_latent) : h;
  const Tensor inner = blk.expert_glu_linear("ffn_up_exps", "ffn_up_exps", x, chosen.ids, p.n_experts, p.d_ff, kOfGate);
  Tensor y = blk.mix_experts("ffn_down_exps", inner, chosen.ids, chosen.weights, p.n_experts, x.cols());
  if (d_latent) y = blk.linear("ffn_latent_up", y, h.cols());
  return layers.d_shared ? y + shared_expert(blk, h, layers.d_shared) : y;
}

// Which layer has both an attention's sizes and a feed-forward's: one that predicts further tokens, after the others.
DecoderParams params_ahead(std::span<const DecoderParams> layers) {
  const auto attention = std::ranges::find_if(layers, [](const DecoderParams& p) { return p.n_kv_heads > 0; });
  if (attention == layers.end()) fail(Errc::kUnsupported, "a layer that predicts further tokens attends, as no other does");
  DecoderParams out = *attention;
  out.d_ff = std::ranges::max(layers, {}, &DecoderParams::d_ff).d_ff;
  return out;
}

}  // namespace

Tensor nemotron_h_decoder(Net& net, const MetaView& m) {
  const bool rms = m.has(kRmsNormEps);
  const std::vector<DecoderParams> layers = read_decoder_layers(m, rms ? kRmsNormEps : kLayerNormEps);
  const DecoderParams& first = layers.front();
  const Mamba2Params mamba = read_mamba2(m, first.eps);
  std::optional<ExpertLayers> moe;
  if (m.i64("expert_count", 0) > 0) moe = read_routed_layers(net, m, first);
  const int64_t d_latent = m.has("moe_latent_size") ? m.in_range("moe_latent_size", 0, int64_t{1} << 24) : 0;
  const auto attention = [](Net& blk, Tensor h, const DecoderParams& p) {
    return attend(blk, separate_qkv(blk, h, p), attention_of(p), p.d_model);
  };
  const auto feed_forward = [&](Net& blk, Tensor h, const DecoderParams& p) {
    return moe ? experts(blk, h, *moe, d_latent) : plain_ffn(blk, h, p.d_ff, Activation::kReluSquared);
  };
  return decoder(net, first, [&](Net& blk, int64_t i, Tensor x) {
    const Tensor h = blk.rms_norm("attn_norm", x, first.eps);
    if (i >= first.n_layers) {
      const DecoderParams p = params_ahead(layers);
      x = x + attention(blk, h, p);
      return x + feed_forward(blk, blk.rms_norm("post_attention_norm", x, p.eps), p);
    }
    const DecoderParams& p = layers[static_cast<size_t>(i)];
    if (p.n_kv_heads) return x + attention(blk, h, p);
    return x + (p.d_ff ? feed_forward(blk, h, p) : mamba2(blk, h, mamba));
  });
}

}  // namespace skald
