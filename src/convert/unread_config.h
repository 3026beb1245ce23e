// Keys of config.json that no converter reads.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "convert/hf_config.h"

namespace skald {

/// Tells whether a key, by the last name of its path, says nothing about a trained model's results.
bool is_harmless_config_key(std::string_view path);

/// Returns paths of keys that were not looked up, without those that say nothing about the language model's results. To be
/// asked when the model has been described.
std::vector<std::string> unread_config_keys(const HfConfig& config);

}  // namespace skald
