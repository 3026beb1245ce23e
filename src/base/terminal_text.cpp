#include "base/terminal_text.h"

#include <fmt/format.h>

namespace skald {

CodePoint decode_front(std::string_view s) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(s[i]); };
  const uint8_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || s.size() < length) return {lead, 0};
  uint32_t value = lead & (0x7fu >> length);
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {lead, 0};
    value = value << 6 | (byte(i) & 0x3fu);
  }
  constexpr uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (value < kSmallest[length] || value > 0x10ffff || (value >= 0xd800 && value < 0xe000)) return {lead, 0};
  return {value, length};
}

bool is_unsafe(uint32_t c) {
  const bool control = c < 0x20 || (c >= 0x7f && c < 0xa0);
  const bool separator_or_direction =
      (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0x200e || c == 0x200f || c == 0x061c;
  return control || separator_or_direction;
}

std::string escape(uint32_t c) {
  if (c == '\n') return "\\n";
  if (c == '\r') return "\\r";
  if (c == '\t') return "\\t";
  if (c == '"' || c == '\\') return {'\\', static_cast<char>(c)};
  return c < 0x80 ? fmt::format("\\x{:02x}", c) : fmt::format("\\u{:04x}", c);
}

std::string terminal_text(std::string_view text, bool lines) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const CodePoint c = decode_front(text);
    const size_t bytes = c.bytes ? c.bytes : 1;
    if (c.bytes == 0)
      out += fmt::format("\\x{:02x}", c.value);
    else if (is_unsafe(c.value) && !(lines && c.value == '\n'))
      out += escape(c.value);
    else
      out += text.substr(0, bytes);
    text.remove_prefix(bytes);
  }
  return out;
}

}  // namespace skald
