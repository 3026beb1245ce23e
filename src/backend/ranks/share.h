// A rank's share of a model, which the first rank and the others cut, load and compute alike.
#pragma once

#include <memory>
#include <vector>

#include "backend/backend.h"
#include "backend/ranks/sliced_weights.h"
#include "backend/ranks/stage_place.h"
#include "comm/group.h"

namespace skald {

/// How ranks share a model.
struct RankCut {
  int stages = 1;      // of layers that compute one after the other; the ranks of each share its matrices
  bool exact = false;  // no sum is cut
};

inline StagePlace place_of(const Group& group, const RankCut& cut) {
  return StagePlace::of(group.rank(), group.size(), cut.stages);
}

/// Returns a model's graph with this rank's parts of matrices, of all stages.
Graph share_of_rank(const Graph& whole, const StagePlace& place, const RankCut& cut);

/// The weights of a rank's stage.
class ShareWeights : public DeviceWeights {
 public:
  /// Loads those that its stage of `share`, as share_of_rank() gives it, reads; `all` must outlive it.
  ShareWeights(Backend& backend, const Graph& share, const StagePlace& place, const WeightSource& all);

  int64_t bytes() const override { return own_->bytes(); }
  const DeviceWeights& own() const { return *own_; }

 private:
  SlicedWeights slices_;
  std::shared_ptr<const DeviceWeights> own_;
};

}  // namespace skald
