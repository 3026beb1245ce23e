// Stages: the layers of a model's graph in runs of about the same work, for ranks that compute one after the other.
#pragma once

#include <cstddef>
#include <vector>

#include "graph/graph.h"

namespace skald {

/// Returns the stage of each node, of operations only. Layers are in order, at least one in each of the `n` stages, and
/// those that share a slot are in one. The first stage has the embedding and the output too. The busiest stage reads as few
/// bytes of weights as it can. Throws kUnsupported where there are fewer layers than stages.
std::vector<size_t> stages_of(const Graph& graph, size_t n);

/// Returns the most stages that there can be.
size_t most_stages(const Graph& graph);

}  // namespace skald
