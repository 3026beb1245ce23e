// UTF-8 validation and escapes.
#include "io/printable.h"

#include <cstdint>

#include <fmt/format.h>

namespace skald {
namespace {

struct CodePoint {
  uint32_t value;
  size_t bytes;  // 0: the byte at this place does not begin valid UTF-8
};

// The code point at the front of `s` (not empty): no overlong forms, no surrogates, nothing above U+10FFFF.
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

// Characters that change how a terminal shows what is around them.
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

}  // namespace

std::string printable(std::string_view text, size_t max_bytes) {
  std::string out;
  size_t at = 0;
  while (at < text.size()) {
    const CodePoint c = decode_front(text.substr(at));
    if (at + (c.bytes ? c.bytes : 1) > max_bytes) break;
    if (c.bytes == 0) {
      out += fmt::format("\\x{:02x}", c.value);
      at += 1;
      continue;
    }
    if (is_unsafe(c.value) || c.value == '"' || c.value == '\\') {
      out += escape(c.value);
    } else {
      out += text.substr(at, c.bytes);
    }
    at += c.bytes;
  }
  return at < text.size() ? out + "..." : out;
}

std::string quoted(std::string_view text, size_t max_bytes) { return '"' + printable(text, max_bytes) + '"'; }

std::string valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const size_t bytes = decode_front(text).bytes;
    if (bytes == 0) {
      out += "\xef\xbf\xbd";
    } else {
      out += text.substr(0, bytes);
    }
    text.remove_prefix(bytes ? bytes : 1);
  }
  return out;
}

}  // namespace skald
