// Which layers decode sparsely, and from which number of keys on.
#pragma once

#include <vector>

#include "graph/graph.h"
#include "kv/cache.h"
#include "skald/engine.h"
#include "skald/sparq_params.h"

namespace skald {

/// The slots of a graph whose index holds keys in a basis.
std::vector<bool> slots_with_basis(const Graph& graph);

/// The attention layers of a cache, in the order in which each kind comes first; none where sparse decoding is off. `bases`:
/// of each slot, as above; empty: there are none.
std::vector<SparqLayers> sparq_layers(const SparqParams& params, const KvSpec& spec, const KvLimits& limits,
                                      const std::vector<bool>& bases = {});

}  // namespace skald
