// Sharding: a model's graph as one of several ranks computes it, which together give what the whole graph does. Matrices are
// cut by rows, and where a cut value goes into one, by columns; attention and recurrent operations by heads; tables by
// tokens. Shoeybi et al., arXiv 1909.08053.
#pragma once

#include <cstddef>

#include "graph/graph.h"

namespace skald {

struct ShardOptions {
  size_t rank = 0, ranks = 1;
  /// No sum is cut: results have the bits that they have on any number of ranks, and more goes over the wire.
  bool exact = false;
};

/// What one rank computes; what the graph gives is whole on the first rank alone. Its states are as large as those of the
/// rank with the most, so that caches of all ranks lie alike. An operation that says nothing about cuts is computed by each
/// rank. Throws kUnsupported for a graph with fixed shapes.
Graph shard(const Graph& whole, const ShardOptions& options);

}  // namespace skald
