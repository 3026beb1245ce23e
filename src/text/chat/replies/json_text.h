// JSON as text: members of objects are looked up, and texts are written, without building anything in between.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace skald {

/// Writes a value that is_json() takes as plain JSON: control characters within texts are escaped, white space around is
/// dropped.
std::string plain_json(std::string_view value);

/// Returns the text in quotes. Bytes that are not UTF-8 become U+FFFD.
std::string quote_json(std::string_view text);

/// Returns the text of a JSON text in quotes. Halves of surrogate pairs become U+FFFD.
std::string unquote_json(std::string_view quoted);

/// Returns the keys (as they read) and values (as they are written) of a JSON object. None: it is none.
std::optional<std::vector<std::pair<std::string, std::string_view>>> json_members(std::string_view object);

}  // namespace skald
