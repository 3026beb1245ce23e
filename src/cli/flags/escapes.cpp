#include "cli/flags/escapes.h"

#include <charconv>
#include <cstdint>
#include <optional>

namespace skald {
namespace {

struct Escape {
  char value;
  size_t length;  // of what is after the backslash
};

// The escape whose letters `rest` begins with.
std::optional<Escape> escape_of(std::string_view rest) {
  constexpr std::string_view kLetters = "nrt'\"\\", kValues = "\n\r\t'\"\\";
  if (rest.empty()) return std::nullopt;
  if (const size_t at = kLetters.find(rest[0]); at != std::string_view::npos) return Escape{kValues[at], 1};
  if (rest[0] != 'x' || rest.size() < 3) return std::nullopt;
  uint8_t byte = 0;
  const char* const end = rest.data() + 3;
  if (const auto [stop, error] = std::from_chars(rest.data() + 1, end, byte, 16); error != std::errc{} || stop != end)
    return std::nullopt;
  return Escape{static_cast<char>(byte), 3};
}

}  // namespace

std::string unescaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::optional<Escape> escape = text[0] == '\\' ? escape_of(text.substr(1)) : std::nullopt;
    out += escape ? escape->value : text[0];
    text.remove_prefix(escape ? 1 + escape->length : 1);
  }
  return out;
}

}  // namespace skald
