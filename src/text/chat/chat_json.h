// JSON of chats: messages, tools, documents, and a template's other variables.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace skald {

struct ChatJsonLimits {
  size_t depth = 256;     // of lists and objects in each other
  size_t keys = 1 << 16;  // of one object; reading them takes time by the square
};

/// Keys stay in their order; of a key that is there twice the last value counts, as in Python. Throws Error (kBadInput) that
/// begins with `what` for text that is no JSON, for values beyond the limits, and for integers beyond 64 bits. `place`, if
/// not null, then gets the path of the fault, where it has one: "messages[0].content".
nlohmann::ordered_json parse_chat_json(std::string_view text, const std::string& what, const ChatJsonLimits& limits = {},
                                       std::string* place = nullptr);

}  // namespace skald
