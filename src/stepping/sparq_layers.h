// Which layers decode sparsely, and from which number of keys on.
#pragma once

#include <vector>

#include "kv/cache.h"
#include "skald/engine.h"
#include "skald/sparq_params.h"

namespace skald {

/// The attention layers of a cache, in the order in which each kind comes first; none where sparse decoding is off.
std::vector<SparqLayers> sparq_layers(const SparqParams& params, const KvSpec& spec, const KvLimits& limits);

}  // namespace skald
