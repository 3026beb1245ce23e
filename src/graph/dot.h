// The graph as a Graphviz drawing: operations as boxes with their shapes, weights and inputs around them, layers as
// clusters.
#pragma once

#include <span>
#include <string>

#include "graph/graph.h"

namespace skald {

/// `devices`: each operation's (graph/split.h), which colours its frame; empty: all run on one.
std::string to_dot(const Graph& graph, const std::string& title, std::span<const size_t> devices = {});

}  // namespace skald
