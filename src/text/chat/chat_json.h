// JSON of chats: messages, tools, documents, and what a template is given beside them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace skald {

/// Keys stay in their order; of a key that is there twice the last value counts, as in Python. Throws Error (kBadInput) that
/// begins with `what` for text that is no JSON, for more than 256 levels, and for integers beyond 64 bits.
nlohmann::ordered_json parse_chat_json(std::string_view text, const std::string& what);

}  // namespace skald
