// A rank's share of a model, which the first rank and the others load alike.
#pragma once

#include <memory>

#include "backend/backend.h"
#include "backend/ranks/sliced_weights.h"
#include "comm/group.h"
#include "graph/shard.h"

namespace skald {

inline ShardOptions shard_options(const Group& group, bool exact) {
  return {static_cast<size_t>(group.rank()), static_cast<size_t>(group.size()), exact};
}

/// The weights of a rank's graph.
class ShareWeights : public DeviceWeights {
 public:
  /// Loads those of `graph`; `all` must outlive it.
  ShareWeights(Backend& backend, const Graph& graph, const WeightSource& all);

  int64_t bytes() const override { return own_->bytes(); }
  const DeviceWeights& own() const { return *own_; }

 private:
  SlicedWeights slices_;
  std::shared_ptr<const DeviceWeights> own_;
};

}  // namespace skald
