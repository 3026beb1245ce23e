// The models and adapters in the cache, by name, of all programs that write to it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hub/cache.h"
#include "hub/hub_model.h"
#include "hub/pull.h"

namespace skald {

/// What a name is to mean.
enum class Wanted : uint8_t { kModel, kAdapter, kEither };

/// A model or an adapter.
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
/// a repository. Asks no network. Throws kNotFound naming those that there are, kNoMemory as choose_model(), kBadFile where
/// it is an adapter in a model's place or the reverse.
std::string find_installed(const HubCache& cache, std::string_view name, const MemoryRule& memory,
                           Wanted wanted = Wanted::kModel);
/// The same of a revision.
std::string find_installed(const HubCache& cache, const HubName& name, const std::string& revision, const MemoryRule& memory,
                           Wanted wanted = Wanted::kModel);

/// Returns whether it is of the kind that is wanted.
bool is_wanted(const HubModel& model, Wanted wanted);

/// Returns the repositories with models that a word may mean: one, or of REPO all users' that have it.
HubName installed_name(const HubCache& cache, std::string_view name, Wanted wanted = Wanted::kModel);

}  // namespace skald
