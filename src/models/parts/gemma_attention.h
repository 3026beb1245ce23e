// The attention of Gemma 3n and 4: layers with a sliding window, heads and RoPE of their own between full ones. Norms on
// queries, keys and values, and last layers that attend to the keys of earlier ones.
#pragma once

#include <vector>

#include "models/parts/hparams.h"
#include "models/parts/shared_cache.h"

namespace skald {

class GemmaAttention {
 public:
  /// Every `period`-th layer is a full one where the file does not say which. Throws kNotFound or kBadFile naming the key.
  GemmaAttention(Net& net, const MetaView& m, int64_t period);

  /// Of layer i, whose heads of keys may be another's.
  const DecoderParams& params(int64_t i) const { return layers_[static_cast<size_t>(i)]; }
  int64_t n_layers() const { return std::ssize(layers_); }
  /// attn_output(attention) of h (tokens, d_model), as h. Layers are asked in order.
  Tensor layer(Net& blk, int64_t i, Tensor h);

 private:
  LayerWindows windows_;
  std::vector<DecoderParams> layers_;
  RopeSpec rope_, near_;
  float scale_;
  SharedCache caches_;
};

}  // namespace skald
