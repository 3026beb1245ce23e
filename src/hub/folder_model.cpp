#include "hub/folder_model.h"

#include <algorithm>
#include <map>
#include <utility>

#include "hub/adapter_folder.h"
#include "io/gguf_split.h"

namespace skald {
namespace {

constexpr std::string_view kWeights = ".safetensors";

// Of shards, which are named as those of GGUF files are.
int64_t missing_shards(const std::vector<HubFile>& files) {
  std::map<std::pair<std::string, int64_t>, int64_t> found;
  for (const HubFile& file : files) {
    if (!file.path.ends_with(kWeights)) continue;
    const auto name = gguf::parse_shard_name(file.path.substr(0, file.path.size() - kWeights.size()) + ".gguf");
    if (name) ++found[{name->prefix, name->count}];
  }
  int64_t missing = 0;
  for (const auto& [shards, n] : found) missing += std::max<int64_t>(0, shards.second - n);
  return missing;
}

}  // namespace

std::optional<HubModel> folder_model(const HubCache& cache, const HubRepo& repo, const std::string& commit) {
  HubModel model{.files = cache.top_files(repo, commit), .tag = kFolderTag, .is_folder = true};
  std::erase_if(model.files, [](const HubFile& f) { return f.path.ends_with(".gguf"); });
  const bool weights = std::ranges::any_of(
      model.files, [](const HubFile& f) { return f.path.ends_with(kWeights) && !is_adapter_file(f.path); });
  if (!weights || !model.has("config.json")) return std::nullopt;
  model.missing = missing_shards(model.files);
  return model;
}

std::string path_of(const HubCache& cache, const HubRepo& repo, const std::string& commit, const HubModel& model) {
  return cache.snapshot(repo, commit) + (model.is_folder ? "" : "/" + model.path());
}

}  // namespace skald
