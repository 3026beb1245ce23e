// Memory plan: where each value of a graph lies in one arena, so that values share memory when their lives do not overlap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "graph/graph.h"

namespace skald {

struct MemoryPlan {
  static constexpr int64_t kAlignment = 64;
  static constexpr int kNone = -1;

  std::vector<int64_t> offsets;  // per node that owns memory in the arena, bytes from its start; kNone: no such node
  std::vector<int> shares;       // per node that is a view of an earlier one or is written over it: that one; else kNone
  int64_t arena_bytes = 0;       // the most that is in use at once, with what fragmentation adds
  int64_t total_bytes = 0;       // what the values would need without sharing

  /// Sets where the value of node `id` lies, if it is one in the arena, among `views` by nodes: after those of the nodes
  /// before it.
  void place(const Graph& graph, int id, std::byte* arena, std::span<TensorView> views) const;
};

/// Neighbours among the nodes.
struct NodeRange {
  int first = 0, last = 0;
};

/// Best fit over the free ranges, in the order in which the nodes run. A row-wise operation writes over its first input
/// when that dies there, be it some columns of a value. Weights, inputs, bound and empty values have no memory here. Nodes
/// of a range of `together` may run one by one or all at once: none writes over what another one reads.
MemoryPlan plan_memory(const Graph& graph, std::span<const NodeRange> together = {});

}  // namespace skald
