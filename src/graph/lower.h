// Lowering: replaces the operations that a backend has no kernel for by their meaning in smaller ones.
#pragma once

#include <functional>

#include "graph/graph.h"

namespace skald {

/// Throws kUnsupported, naming operation and node, where an operation is neither supported nor expandable.
Graph lower(const Graph& graph, const std::function<bool(const Graph&, const Node&)>& supported);

}  // namespace skald
