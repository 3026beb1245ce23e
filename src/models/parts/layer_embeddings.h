// Embeddings of tokens for each layer, from a table that is read row by row (Gemma 3n, Gemma 4).
#pragma once

#include <optional>

#include "models/parts/hparams.h"

namespace skald {

class LayerEmbeddings {
 public:
  /// Of the step's tokens, whose scaled embeddings are x (tokens, d_model); nullopt where embedding_length_per_layer_input
  /// is 0 or absent. Throws kNotFound or kBadFile naming the key or tensor.
  static std::optional<LayerEmbeddings> read(Net& net, const MetaView& m, Tensor x, const DecoderParams& p);

  /// Layer i's own, (tokens, width).
  Tensor of(Net& blk, int64_t i) const { return blk.columns(all_, i * width_, width_); }
  /// post_norm(proj(gelu(inp_gate(x)) * of(i))); x (tokens, d_model) -> as x.
  Tensor layer(Net& blk, int64_t i, Tensor x) const;

 private:
  LayerEmbeddings(Tensor all, int64_t width, float eps) : all_(all), width_(width), eps_(eps) {}

  Tensor all_;  // (tokens, layers * width)
  int64_t width_;
  float eps_;
};

}  // namespace skald
