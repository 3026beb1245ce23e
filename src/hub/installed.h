// The models in the cache, by name, of all programs that write to it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hub/cache.h"
#include "hub/hub_model.h"
#include "hub/pull.h"

namespace skald {

struct InstalledModel {
  HubName name;
  HubModel model;
  std::string commit;
  std::vector<std::string> refs = {};  // branches and tags that were this commit
  std::string path = {};               // of the file, the first shard or the folder
  bool ours = false;                   // Skald got it
  bool complete = true;                // false: it was begun
};

/// Returns all of a repository; those of the branch "main" first, then the newest.
std::vector<InstalledModel> installed_models(const HubCache& cache, const HubRepo& repo);
/// All, by repository.
std::vector<InstalledModel> installed_models(const HubCache& cache);

/// Finds the path of the model that a name means: of USER/REPO[:TAG], USER/REPO/PATH, or REPO[:TAG] where one user has such
/// a repository. Asks no network. Throws kNotFound naming those that there are, kNoMemory as choose_model().
std::string find_installed(const HubCache& cache, std::string_view name, const MemoryRule& memory);
/// The same of a revision.
std::string find_installed(const HubCache& cache, const HubName& name, const std::string& revision,
                           const MemoryRule& memory);

/// Returns the repositories with models that a word may mean: one, or of REPO all users' that have it.
HubName installed_name(const HubCache& cache, std::string_view name);

}  // namespace skald
