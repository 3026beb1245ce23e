// What config.json says and nothing follows from.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "convert/hf_config.h"

namespace skald {

/// Whether a key, by the last name of its path, says nothing about what a trained model computes.
bool is_harmless_config_key(std::string_view path);

/// Paths of keys that nobody looked up, without those that say nothing about what the language model computes. To be asked
/// when the model has been described.
std::vector<std::string> unread_config_keys(const HfConfig& config);

}  // namespace skald
