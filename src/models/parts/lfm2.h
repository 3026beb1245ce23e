// The decoders of Liquid's LFM2 family: short convolutions in most layers, attention in the others. Amini et al., arXiv
// 2511.23404.
#pragma once

#include <optional>

#include "models/parts/hparams.h"
#include "models/parts/moe.h"

namespace skald {

/// Builds the whole decoder -> logits (outputs, n_vocab); `experts`: of the layers' feed-forward, where the family has them.
Tensor lfm2_decoder(Net& net, const MetaView& m, const std::optional<ExpertLayers>& experts);

}  // namespace skald
