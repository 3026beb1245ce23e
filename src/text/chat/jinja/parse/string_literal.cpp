#include "text/chat/jinja/parse/string_literal.h"

#include <fmt/format.h>

#include "text/chat/jinja/run/failure.h"
#include "text/chat/jinja/words/unicode.h"

namespace skald::jinja {
namespace {

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f') return (c | 0x20) - 'a' + 10;
  return -1;
}

// \xHH, \uHHHH and \UHHHHHHHH; `at` is after the letter.
char32_t hex_escape(std::string_view text, size_t& at, size_t digits, const char* form) {
  char32_t out = 0;
  for (size_t i = 0; i < digits; ++i, ++at) {
    const int value = at < text.size() ? hex_value(text[at]) : -1;
    if (value < 0) raise(ErrorKind::kSyntax, "truncated {} escape", form);
    out = out << 4 | static_cast<char32_t>(value);
  }
  if (out > 0x10FFFF) raise(ErrorKind::kSyntax, "illegal Unicode character");
  return out;
}

char32_t octal_escape(std::string_view text, size_t& at, char first) {
  auto out = static_cast<char32_t>(first - '0');
  for (int i = 0; i < 2 && at < text.size() && text[at] >= '0' && text[at] <= '7'; ++i, ++at)
    out = out * 8 + static_cast<char32_t>(text[at] - '0');
  return out;
}

// Jinja spells other characters as escapes before it reads the escapes, so that a backslash before one takes its own.
void escape_of_char(std::string& out, std::string_view text, size_t& at) {
  const char32_t c = next_char(text, at);
  out += c < 0x100     ? fmt::format("\\x{:02x}", static_cast<uint32_t>(c))
         : c < 0x10000 ? fmt::format("\\u{:04x}", static_cast<uint32_t>(c))
                       : fmt::format("\\U{:08x}", static_cast<uint32_t>(c));
}

void escape(std::string& out, std::string_view text, size_t& at) {
  const char c = text[at];
  if (static_cast<unsigned char>(c) >= 0x80) return escape_of_char(out, text, at);
  ++at;
  switch (c) {
    case '\n':
      return;
    case '\\':
    case '\'':
    case '"':
      out += c;
      return;
    case 'a':
      out += '\a';
      return;
    case 'b':
      out += '\b';
      return;
    case 'f':
      out += '\f';
      return;
    case 'n':
      out += '\n';
      return;
    case 'r':
      out += '\r';
      return;
    case 't':
      out += '\t';
      return;
    case 'v':
      out += '\v';
      return;
    case 'x':
      return append_char(out, hex_escape(text, at, 2, "\\xXX"));
    case 'u':
      return append_char(out, hex_escape(text, at, 4, "\\uXXXX"));
    case 'U':
      return append_char(out, hex_escape(text, at, 8, "\\UXXXXXXXX"));
    case 'N':
      raise(ErrorKind::kUnsupported, "characters by name, as in \\N{{...}}");
    default:
      break;
  }
  if (c >= '0' && c <= '7') return append_char(out, octal_escape(text, at, c));
  out += '\\';
  out += c;
}

}  // namespace

std::string unescaped(std::string_view literal) {
  if (literal.find('\\') == std::string_view::npos) return std::string(literal);
  std::string out;
  for (size_t at = 0; at < literal.size();) {
    if (literal[at] != '\\' || at + 1 >= literal.size())
      out += literal[at++];
    else
      escape(out, literal, ++at);
  }
  return out;
}

}  // namespace skald::jinja
