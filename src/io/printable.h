// Text from files made safe to show: error messages and listings end up on terminals.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace skald {

/// `text` with control characters (C0, DEL, C1), quotes, backslashes, direction overrides and bytes that are not UTF-8
/// written as escapes (\n, \x1b, \u202e); at most `max_bytes` of the input, then "...".
std::string printable(std::string_view text, size_t max_bytes = 200);

/// The same in double quotes.
std::string quoted(std::string_view text, size_t max_bytes = 200);

/// `text` with each byte that is not part of valid UTF-8 replaced by U+FFFD.
std::string valid_utf8(std::string_view text);

}  // namespace skald
