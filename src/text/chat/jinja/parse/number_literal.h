// Numbers as templates write them: 1_000, 0x1F, 2e3.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace skald::jinja {

inline bool is_digit_char(char c) { return c >= '0' && c <= '9'; }

struct NumberText {
  std::string text;  // without underscores and prefix
  int base = 10;
  bool is_float = false;
  size_t end = 0;  // where it ends in the source
};
/// Reads the number that begins with the digit at `at`.
NumberText read_number(std::string_view source, size_t at);

}  // namespace skald::jinja
