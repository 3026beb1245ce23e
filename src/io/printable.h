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

/// Returns a list for people, of which the first few are enough: "a, b and 3 more".
template <class Names>
std::string some_of(const Names& names, size_t most) {
  std::string out;
  size_t shown = 0;
  for (const auto& name : names) {
    if (shown == most) return out + " and " + std::to_string(names.size() - shown) + " more";
    out += (shown++ ? ", " : "") + printable(name);
  }
  return out;
}

/// `text` with each byte that is not part of valid UTF-8 replaced by U+FFFD.
std::string valid_utf8(std::string_view text);

}  // namespace skald
