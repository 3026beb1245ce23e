// sum_ranks: the sum of what several ranks have, in the order of the ranks, the same on all of them.
// Inputs: x (rows, n) -> as x.
#pragma once

#include <string>
#include <vector>

#include "graph/op.h"

namespace skald {

struct RankSum {
  std::vector<bool> adds;  // by rank; the values of the others do not count
  size_t rank = 0;
};

struct SumRanks {
  const RankSum* plan = nullptr;  // the graph's (Graph::plans)
  std::string describe() const;
  friend bool operator==(const SumRanks&, const SumRanks&) = default;
};

extern const OpDef op_sum_ranks;

}  // namespace skald
