// Chats in files: a JSON list of messages, as `skald template --messages` reads it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace skald {

/// Throws Error naming the file: kBadInput where there is one already, unless `over` says to replace it.
void save_chat(const std::string& path, const nlohmann::ordered_json& messages, bool over);
/// Throws Error naming the file that is no text file (read_text_file()) or no JSON.
nlohmann::ordered_json load_chat(const std::string& path);

}  // namespace skald
