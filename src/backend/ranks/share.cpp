#include "backend/ranks/share.h"

#include <algorithm>

#include "base/log.h"
#include "graph/ops/exchange_columns.h"
#include "graph/ops/sum_ranks.h"
#include "graph/shard.h"
#include "graph/split.h"
#include "graph/stages.h"

namespace skald {
namespace {

Graph to_load(const Graph& share, const StagePlace& place) {
  if (place.stages == 1) return share;
  const auto stages = stages_of(share, static_cast<size_t>(place.stages));
  return skald::share_of(share, stages, static_cast<size_t>(place.stage));
}

}  // namespace

Graph share_of_rank(const Graph& whole, const StagePlace& place, const RankCut& cut) {
  if (place.ranks == 1) return whole;
  return shard(whole, {static_cast<size_t>(place.rank), static_cast<size_t>(place.ranks), cut.exact});
}

ShareWeights::ShareWeights(Backend& backend, const Graph& share, const StagePlace& place, const WeightSource& all)
    : slices_(all, share.slices) {
  const Graph own = to_load(share, place);
  own_ = backend.load(own, slices_);
  const auto waits = [](const Node& n) { return n.op == &op_sum_ranks || n.op == &op_exchange_columns; };
  log(LogLevel::kInfo, "this rank has {} MiB of weights, {} operations, and {} sums and exchanges in a step",
      own_->bytes() >> 20, std::ranges::count(own.nodes(), Source::kOp, &Node::source),
      std::ranges::count_if(own.nodes(), waits));
}

}  // namespace skald
