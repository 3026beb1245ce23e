// Decoders with indexed latent attention and experts beside shared ones, after a few dense layers.
#pragma once

#include "base/meta.h"
#include "graph/net.h"

namespace skald {

/// Builds the step's graph, as Family::build gives it; `pairs`: of the indexer's RoPE, which files do not say.
Tensor build_indexed_decoder(Net& net, const MetaView& m, RopePairs pairs);

}  // namespace skald
