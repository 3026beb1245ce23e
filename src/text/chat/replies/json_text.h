// JSON as text: members of objects are looked up, and texts are written, without building anything in between.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace skald {

/// What is_json() takes, as plain JSON: control characters within texts are escaped, white space around is dropped.
std::string plain_json(std::string_view value);

/// The text in quotes. Bytes that are not UTF-8 become U+FFFD.
std::string quote_json(std::string_view text);

/// What a JSON text in quotes says. Halves of surrogate pairs become U+FFFD.
std::string unquote_json(std::string_view quoted);

/// Keys (as they read) and values (as they are written) of a JSON object. None: it is none.
std::optional<std::vector<std::pair<std::string, std::string_view>>> json_members(std::string_view object);

}  // namespace skald
