// Taking models away again.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hub/installed.h"

namespace skald {

struct Removal {
  std::vector<InstalledModel> models = {};  // that Skald got
  std::vector<InstalledModel> left = {};    // that are meant too, and another program got
  int64_t bytes = 0;                        // that become free
};

/// Plans the removal of a name: of a repository's models in all snapshots, or of those of a tag or a file. Throws kNotFound
/// where there is none.
Removal plan_removal(const HubCache& cache, std::string_view name);

/// Removes the links, then contents that no link of the repository leads to any more, unless another program is at work on
/// them. Folders and references that nothing is left of go too. Throws kDevice.
void remove(const HubCache& cache, const Removal& removal);

}  // namespace skald
