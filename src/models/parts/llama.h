// Llama's decoder, which many families have: RMS norms before both blocks, grouped-query attention with RoPE, SwiGLU.
#pragma once

#include <optional>

#include "models/parts/hparams.h"
#include "models/parts/moe.h"

namespace skald {

/// Builds the whole decoder -> logits (outputs, n_vocab); with `moe`, experts instead of the feed-forward.
Tensor llama_decoder(Net& net, const DecoderParams& p, const RopeSpec& rope, const std::optional<MoeParams>& moe = {});

}  // namespace skald
