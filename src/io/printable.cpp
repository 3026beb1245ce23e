#include "io/printable.h"

#include <fmt/format.h>

#include "base/terminal_text.h"

namespace skald {

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
