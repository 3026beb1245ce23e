// Ranks: commands whose processes compute one model together (--tensor-parallel, --pipeline-parallel). The first rank runs
// the command; the others follow it.
#pragma once

#include <memory>

#include "cli/command.h"
#include "cli/flags/common.h"

namespace skald {

/// Returns the group of the processes that mpirun started, where the options ask for it; null without. Throws UsageError
/// where there are not as many as asked for, or there is only one.
std::shared_ptr<Group> joined_ranks(const DeviceOptions& options);

/// The action of a command that takes its model and options by these flags. On other ranks than the first one it follows
/// that, and does nothing else.
Action on_ranks(const ModelFlags& model, const ComputeFlags& compute, Action action);

}  // namespace skald
