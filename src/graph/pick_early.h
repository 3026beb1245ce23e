// Early picking: rows whose logits nobody wants are dropped as soon as no other row needs them.
#pragma once

#include "graph/graph.h"

namespace skald {

/// The same graph with pick_rows moved towards the inputs over operations by rows (OpDef::by_rows): the last layer's output
/// projection and feed-forward network are then computed for the wanted rows alone. Every value keeps its bits.
Graph pick_early(const Graph& graph);

}  // namespace skald
