// Keys of a file that the engine did not read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/meta.h"

namespace skald {

/// Returns the keys of the architecture that were not looked up, without those that every converter writes and that change
/// nothing. To be asked when the graph is made.
std::vector<std::string_view> unread_model_keys(const Meta& meta, const std::string& arch);
/// Likewise the keys tokenizer.ggml.*, to be asked when the tokenizer is made.
std::vector<std::string_view> unread_tokenizer_keys(const Meta& meta);

/// One warning that names up to 8 of the keys and how many more there are; nothing for none. `who` does not read them.
void warn_of_unread(const std::vector<std::string_view>& keys, std::string_view who);

}  // namespace skald
