// Snapshots that are models as Hugging Face keeps them: config.json with safetensors beside it.
#pragma once

#include <optional>
#include <string>

#include "hub/cache.h"
#include "hub/hub_model.h"

namespace skald {

/// The tag by which a name means the folder: USER/REPO:safetensors.
inline constexpr const char* kFolderTag = "safetensors";

/// Returns the folder of a commit as a model; nullopt where it is none. Its files are all but the GGUF files. Weights of an
/// adapter alone make no model.
std::optional<HubModel> folder_model(const HubCache& cache, const HubRepo& repo, const std::string& commit);

/// Returns where a model of a snapshot lies: its first file, or the folder.
std::string path_of(const HubCache& cache, const HubRepo& repo, const std::string& commit, const HubModel& model);

}  // namespace skald
