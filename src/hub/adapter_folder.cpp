#include "hub/adapter_folder.h"

#include <algorithm>

#include "base/error.h"
#include "hub/folder_model.h"
#include "io/printable.h"

namespace skald {
namespace {

constexpr std::string_view kStem = "adapter_model";

const HubFile* file_at(const std::vector<HubFile>& files, std::string_view path) {
  const auto at = std::ranges::find(files, path, &HubFile::path);
  return at == files.end() ? nullptr : &*at;
}

bool is_short(const HubFile& file) { return file.size <= kLongestAdapterText; }

}  // namespace

bool is_adapter_file(std::string_view path) {
  const bool at_top = path.find('/') == path.npos;
  return at_top && (path == kAdapterConfig || path == kAdapterCard || path.starts_with(kStem));
}

std::optional<HubModel> adapter_folder(const std::vector<HubFile>& files) {
  const HubFile *config = file_at(files, kAdapterConfig), *weights = file_at(files, kAdapterWeights);
  if (!config || !weights || !is_short(*config)) return std::nullopt;
  HubModel adapter{.files = {*config, *weights}, .tag = kFolderTag, .is_folder = true, .adapter = AdapterFacts{}};
  if (const HubFile* card = file_at(files, kAdapterCard); card && is_short(*card)) adapter.files.push_back(*card);
  return adapter;
}

void refuse_other_adapters(const std::vector<HubFile>& files) {
  const HubFile* const config = file_at(files, kAdapterConfig);
  if (!config) return;
  if (!is_short(*config))
    fail(Errc::kBadFile, "{}: {} bytes, want at most {}", kAdapterConfig, config->size, kLongestAdapterText);
  for (const HubFile& file : files) {
    if (!file.path.starts_with(kStem) || !is_adapter_file(file.path)) continue;
    const bool is_pickle = file.path.ends_with(".bin");
    fail(Errc::kUnsupported, "{}: {}; an adapter's weights must be in {}", printable(file.path),
         is_pickle ? "only Python can read it safely" : "an adapter in several files is not taken", kAdapterWeights);
  }
  fail(Errc::kNotFound, "there is {}, but no {}", kAdapterConfig, kAdapterWeights);
}

}  // namespace skald
