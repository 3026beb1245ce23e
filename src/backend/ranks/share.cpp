#include "backend/ranks/share.h"

#include <algorithm>

#include "base/log.h"

namespace skald {

ShareWeights::ShareWeights(Backend& backend, const Graph& graph, const WeightSource& all)
    : slices_(all, graph.slices), own_(backend.load(graph, slices_)) {
  const auto exchanges = std::ranges::count_if(
      graph.nodes(), [](const Node& n) { return n.op && (n.op->name == "sum_ranks" || n.op->name == "exchange_columns"); });
  log(LogLevel::kInfo, "share: {} of {} MiB are parts of weights, {} exchanges", 0, own_->bytes() >> 20, exchanges);
}

}  // namespace skald
