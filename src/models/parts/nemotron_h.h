// The decoders of NVIDIA's Nemotron-H family: each layer is one block, Mamba 2, attention without RoPE, or a feed-forward.
// NVIDIA, arXiv 2504.03624.
#pragma once

#include "base/meta.h"
#include "graph/net.h"

namespace skald {

/// Builds the whole decoder -> logits (outputs, n_vocab). Layers with a router have experts.
Tensor nemotron_h_decoder(Net& net, const MetaView& m);

}  // namespace skald
