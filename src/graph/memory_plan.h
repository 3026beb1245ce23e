// Memory plan: where each value of a graph lies in one arena, so that values share memory when their lives do not overlap.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/graph.h"

namespace skald {

struct MemoryPlan {
  static constexpr int64_t kAlignment = 64;
  static constexpr int64_t kNone = -1;  // the node has no memory in the arena: weights, inputs, bound and empty values

  std::vector<int64_t> offsets;  // per node, bytes from the arena's start, or kNone
  int64_t arena_bytes = 0;       // the most that is in use at once, with what fragmentation adds
  int64_t total_bytes = 0;       // what the values would need without sharing
};

/// Best fit over the free ranges, in the order in which the nodes run. A row-wise operation writes over its first input
/// when that dies there.
MemoryPlan plan_memory(const Graph& graph);

}  // namespace skald
