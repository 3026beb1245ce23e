#include "models/parts/layer_embeddings.h"

#include <cmath>

namespace skald {

std::optional<LayerEmbeddings> LayerEmbeddings::read(Net& net, const MetaView& m, Tensor x, const DecoderParams& p) {
  constexpr std::string_view kKey = "embedding_length_per_layer_input";
  const int64_t width = m.has(kKey) ? m.in_range(kKey, 0, 65536) : 0;
  if (width == 0) return {};
  const auto root = [](int64_t n) { return std::sqrt(static_cast<float>(n)); };
  const int64_t n = p.n_layers * width;
  const Tensor of_tokens =
      scale(net.embed("per_layer_token_embd", net.rows_of("per_layer_token_embd.weight"), n), root(width));
  const Tensor of_model = net.rms_norm(
      "per_layer_proj_norm", scale(net.linear("per_layer_model_proj", x, n), 1.0f / root(p.d_model)), p.eps, p.n_layers);
  return LayerEmbeddings(scale(of_tokens + of_model, 1.0f / root(2)), width, p.eps);
}

Tensor LayerEmbeddings::layer(Net& blk, int64_t i, Tensor x) const {
  const Tensor h = glu(blk.linear("inp_gate", x, width_), of(blk, i), Activation::kGeluTanh);
  return blk.rms_norm("post_norm", blk.linear("proj", h, x.cols()), eps_);
}

}  // namespace skald
