// The decoders of IBM's Granite family.
#pragma once

#include <optional>
#include <vector>

#include "models/parts/hparams.h"
#include "models/parts/mamba2.h"
#include "models/parts/moe.h"

namespace skald {

struct GraniteParams {
  std::vector<DecoderParams> layers;
  std::optional<float> scale;  // of scores, instead of 1/sqrt(d_k)
  bool sink_logits = false;
  RopeSpec rope;
  std::optional<ExpertLayers> experts;
  LayerWindows windows;
  std::optional<Mamba2Params> mamba;  // of the layers without KV heads, where the family has such
  std::vector<bool> rotated;          // layers with RoPE
  float embedding_scale, residual_scale, logit_scale;
};

/// Without windows and Mamba layers, and with RoPE in all layers.
GraniteParams read_granite(Net& net, const MetaView& m);

/// Builds the whole decoder -> logits (outputs, n_vocab).
Tensor granite_decoder(Net& net, const GraniteParams& p);

}  // namespace skald
