#include "backend/ranks/share.h"

#include <algorithm>

#include "base/log.h"
#include "graph/ops/exchange_columns.h"
#include "graph/ops/sum_ranks.h"

namespace skald {

ShareWeights::ShareWeights(Backend& backend, const Graph& graph, const WeightSource& all)
    : slices_(all, graph.slices), own_(backend.load(graph, slices_)) {
  const auto waits = [](const Node& n) { return n.op == &op_sum_ranks || n.op == &op_exchange_columns; };
  log(LogLevel::kInfo, "this rank has {} MiB of weights, {} of which are parts, and {} sums and exchanges in a step",
      own_->bytes() >> 20, graph.slices.size(), std::ranges::count_if(graph.nodes(), waits));
}

}  // namespace skald
