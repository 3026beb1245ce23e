// A model on several ranks, each a process: the first one runs steps as if it were alone, the others follow it.
#pragma once

#include "comm/group.h"
#include "loading/loaded_model.h"
#include "skald/options.h"

namespace skald {

/// Computes this rank's share of the steps of the first one, which has the same model and options, until that releases it.
/// `options.group` is set. Throws the errors of the model and of the group.
void follow_first_rank(const LoadedModel& model, const DeviceOptions& options);

/// Ends the other ranks; of the first one. Harmless where the group is broken.
void release_ranks(Group& group);

}  // namespace skald
