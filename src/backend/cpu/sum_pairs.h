// Sum pairs: products whose results a sum over ranks takes next. A step of many rows adds up some while it computes others.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/graph.h"
#include "graph/memory_plan.h"

namespace skald {

/// Returns the pairs of a graph: a product with matrices, and the sum directly after it, which alone reads its value.
std::vector<NodeRange> sum_pairs(const Graph& graph);

/// Returns the rows that are added up at once, of a value (rows, cols) of floats; all of them where that is little to send.
int64_t rows_of_sum(int64_t rows, int64_t cols);

}  // namespace skald
