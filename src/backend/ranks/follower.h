// Following: the part of ranks after the first one, which do as that orders.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "backend/backend.h"
#include "backend/ranks/share.h"
#include "comm/group.h"

namespace skald {

/// All that a rank takes of a model.
struct FollowedModel {
  std::function<Graph(const StepCapacity&)> graph;  // the whole one
  std::shared_ptr<const WeightSource> weights;
  std::string options = {};  // as RankLeader has them
};

/// Computes this rank's share of the model, until the first rank stops. `cut` as RankLeader has it. Throws the errors of
/// the model, and those of the group.
void follow(Group& group, Backend& backend, const FollowedModel& model, const RankCut& cut);

/// Ends follow() of all other ranks; of the first one.
void stop_followers(Group& group);

}  // namespace skald
