#include "tools/report/xml.h"

#include "text/utf8.h"

namespace skald {
namespace {

// XML 1.0, section 2.2.
bool is_xml_char(uint32_t code) {
  return code == '\t' || code == '\n' || code == '\r' || (code >= 0x20 && code != 0xfffe && code != 0xffff);
}

std::string_view entity(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&apos;";
    default:
      return {};
  }
}

}  // namespace

std::string xml_escaped(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const Utf8Step step = utf8_step(text, at);
    const std::string_view bytes = text.substr(at, static_cast<size_t>(step.length));
    at += bytes.size();
    if (step.kind != Utf8Kind::kChar || !is_xml_char(utf8_code(bytes, 0, step.length)))
      out += kReplacement;
    else if (const std::string_view name = entity(bytes[0]); !name.empty())
      out += name;
    else
      out += bytes;
  }
  return out;
}

}  // namespace skald
