#include "sampling/grammar/json_escapes.h"

#include <fmt/format.h>

namespace skald {

std::string json_escape(uint32_t code) {
  constexpr uint32_t kFirstFree = 0x20;  // below are control characters
  switch (code) {
    case '"':
      return "\\\"";
    case '\\':
      return "\\\\";
    case '\b':
      return "\\b";
    case '\f':
      return "\\f";
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      return code < kFirstFree ? fmt::format("\\u{:04x}", code) : "";
  }
}

}  // namespace skald
