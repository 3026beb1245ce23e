// The graph as a Graphviz drawing: operations as boxes with their shapes, weights and inputs around them, layers as
// clusters.
#pragma once

#include <string>

#include "graph/graph.h"

namespace skald {

std::string to_dot(const Graph& graph, const std::string& title);

}  // namespace skald
