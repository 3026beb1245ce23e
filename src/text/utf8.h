// UTF-8 without trust: walks any bytes, telling characters from broken and from unfinished sequences.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace skald {

enum class Utf8Kind : uint8_t {
  kChar,        // a whole, well-formed character
  kBroken,      // bytes that no continuation can make well-formed
  kUnfinished,  // a well-formed beginning that the text's end cuts off
};

struct Utf8Step {
  int length;  // 1 to 4 bytes; for broken ones, those that stand for one U+FFFD (Unicode 15, section 3.9)
  Utf8Kind kind;
};

inline constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

/// Looks at the character that starts at `text[at]` (`at` < size).
Utf8Step utf8_step(std::string_view text, size_t at) noexcept;

/// Returns the code point of a whole character of `length` bytes, as utf8_step found it.
uint32_t utf8_code(std::string_view text, size_t at, int length) noexcept;

void append_utf8(std::string& out, uint32_t code);

/// Appends `bytes` with U+FFFD for all that are not well-formed.
void append_valid_utf8(std::string& out, std::string_view bytes);

/// Calls f(run, valid) for the longest runs of well-formed and of other bytes, in order.
template <class F>
void for_each_utf8_run(std::string_view text, F&& f) {
  size_t begin = 0;
  bool valid = true;
  for (size_t at = 0; at < text.size();) {
    const Utf8Step step = utf8_step(text, at);
    if ((step.kind == Utf8Kind::kChar) != valid) {
      if (at > begin) f(text.substr(begin, at - begin), valid);
      begin = at;
      valid = !valid;
    }
    at += static_cast<size_t>(step.length);
  }
  if (begin < text.size()) f(text.substr(begin), valid);
}

}  // namespace skald
