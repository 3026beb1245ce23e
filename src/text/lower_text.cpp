#include "text/lower_text.h"

#include <utf8proc.h>

#include "text/utf8.h"

namespace skald {

void append_lower(std::string& out, uint32_t code) {
  if (code == 0x130) {  // the one character of which lower case makes two
    out += "i\xCC\x87";
  } else {
    append_utf8(out, static_cast<uint32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(code))));
  }
}

std::string lower_text(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const Utf8Step step = utf8_step(text, at);
    const auto length = static_cast<size_t>(step.length);
    if (step.kind == Utf8Kind::kChar)
      append_lower(out, utf8_code(text, at, step.length));
    else
      out.append(text, at, length);
    at += length;
  }
  return out;
}

}  // namespace skald
