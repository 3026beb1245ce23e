// Early picking: rows without wanted logits are dropped as soon as no other row needs them.
#pragma once

#include "graph/graph.h"

namespace skald {

/// The same graph with pick_rows moved towards the inputs over operations by rows (OpDef::by_rows, OpDef::of_some_rows):
/// after its keys and values, the last layer is then computed for the wanted rows alone, and so are all layers after the
/// last one that keeps keys. Every value keeps its bits.
Graph pick_early(const Graph& graph);

}  // namespace skald
