// Weights that a step reads some rows of.
#pragma once

#include <vector>

#include "graph/graph.h"

namespace skald {

/// Ids of the weights that serve as tables of embeddings and as nothing else: as large as they are, a token reads a row.
std::vector<int> row_tables(const Graph& graph);

}  // namespace skald
