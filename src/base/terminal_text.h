// Texts of files, made safe for a terminal: names must not move its cursor or set its title.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace skald {

struct CodePoint {
  uint32_t value;
  size_t bytes;  // 0: the byte at this place does not begin valid UTF-8
};

/// Returns the code point at the front of `s` (not empty): no overlong forms, no surrogates, nothing above U+10FFFF.
CodePoint decode_front(std::string_view s);

/// Returns whether a terminal does something else with it than showing it: control characters, changes of direction.
bool is_unsafe(uint32_t code_point);

/// `c` as an escape: \n, \x1b, \u202e.
std::string escape(uint32_t c);

/// Returns `text` with unsafe characters, and bytes that are not UTF-8, as escapes; newlines too, except where `lines` says
/// that the text has several.
std::string terminal_text(std::string_view text, bool lines = false);

}  // namespace skald
