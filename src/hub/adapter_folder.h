// Adapters (LoRA) in repositories as PEFT keeps them: adapter_config.json and adapter_model.safetensors, at the top.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hub/hub_model.h"

namespace skald {

inline constexpr const char *kAdapterConfig = "adapter_config.json", *kAdapterWeights = "adapter_model.safetensors",
                            *kAdapterCard = "README.md";
/// Most bytes of a configuration; cards that are longer are left out.
inline constexpr int64_t kLongestAdapterText = int64_t{1} << 20;

/// Returns whether a path of a repository has a name of an adapter's files, of those too that are refused.
bool is_adapter_file(std::string_view path);

/// Returns the adapter among a repository's files: its configuration, its weights and, if it is there, its card.
std::optional<HubModel> adapter_folder(const std::vector<HubFile>& files);

/// Throws kUnsupported naming a file where there is an adapter in another form than adapter_folder() takes. Throws kBadFile
/// for a configuration that is too long.
void refuse_other_adapters(const std::vector<HubFile>& files);

}  // namespace skald
