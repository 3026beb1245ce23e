// HubModel: the files of a repository that are one model or adapter, and which of these is meant.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hub/adapter_facts.h"
#include "hub/api.h"
#include "hub/names.h"

namespace skald {

struct HubModel {
  std::vector<HubFile> files;                // one, or all shards in their order
  std::string tag = {};                      // "Q4_K_M"; empty where its name says none
  int64_t missing = 0;                       // shards that are not there
  bool is_part = false;                      // of no use alone: an image projector, an importance matrix
  bool is_folder = false;                    // the model is the folder in which the files are, as Hugging Face keeps models
  std::optional<AdapterFacts> adapter = {};  // it is an adapter; of a GGUF file known only where the file is there

  const std::string& path() const { return files.front().path; }
  int64_t bytes() const;
  bool has(std::string_view file) const;
};

/// Files as models, by tags and paths: shards go together, and so do the files of an adapter's folder.
std::vector<HubModel> models_of(const std::vector<HubFile>& files);

/// Names `model` among those of its repository: by its tag where no other has the same, else by its path. An adapter's
/// folder without others beside it has the repository's name.
HubName name_of(const HubRepo& repo, const HubModel& model, const std::vector<HubModel>& all);

/// Whether weights and a cache fit into the memory.
using Fits = std::function<bool(const HubModel&)>;

/// Chooses the model of a name: of a file or a tag the one that has it, and the only model where there is one. Else Q4_K_M
/// if it fits, else the largest type up to Q8_0 that does. Throws kNotFound naming those that there are, kNoMemory where
/// none fits.
const HubModel& choose_model(const std::vector<HubModel>& models, const HubName& name, const Fits& fits);

}  // namespace skald
