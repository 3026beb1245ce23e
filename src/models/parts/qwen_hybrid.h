// The decoders of Qwen3-Next and Qwen3.5: gated delta nets in three of four layers, attention with a gated output in the
// fourth. Alibaba, 2025.
#pragma once

#include "base/meta.h"
#include "graph/net.h"

namespace skald {

/// Builds the whole decoder -> logits (outputs, n_vocab). Feed-forwards are dense, or experts beside a shared one that each
/// token scales where the file says so. `tiled`: the order of value heads, as in DeltaNet.
Tensor qwen_hybrid_decoder(Net& net, const MetaView& m, bool tiled);

}  // namespace skald
