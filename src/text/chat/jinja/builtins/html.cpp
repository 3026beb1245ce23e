#include "text/chat/jinja/builtins/html.h"

#include <fmt/format.h>

#include <algorithm>

#include "text/chat/jinja/methods/text_parts.h"
#include "text/chat/jinja/words/unicode.h"

namespace skald::jinja {
namespace {

std::string without(std::string_view text, std::string_view open, std::string_view close) {
  std::string out;
  size_t at = 0;
  while (true) {
    const size_t begin = text.find(open, at);
    const size_t end = begin == std::string_view::npos ? begin : text.find(close, begin);
    if (end == std::string_view::npos) break;
    out += text.substr(at, begin - at);
    at = end + close.size();
  }
  return out += text.substr(at);
}

struct Entity {
  std::string_view name, text;
};

// The character that a numeric reference means, as browsers read it.
std::string referenced(uint64_t code) {
  std::string out;
  if (code == 0 || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) code = 0xFFFD;
  append_char(out, static_cast<char32_t>(code));
  return out;
}

// At an "&": the text it stands for, and how long the reference is; 0 where it is none.
std::pair<std::string, size_t> entity_at(std::string_view text) {
  static constexpr Entity kEntities[] = {{"amp", "&"},
                                         {"lt", "<"},
                                         {"gt", ">"},
                                         {"quot", "\""},
                                         {"apos", "'"},
                                         {"nbsp", "\xC2\xA0"},
                                         {"copy", "\xC2\xA9"},
                                         {"reg", "\xC2\xAE"},
                                         {"hellip", "\xE2\x80\xA6"},
                                         {"mdash", "\xE2\x80\x94"},
                                         {"ndash", "\xE2\x80\x93"}};
  if (text.size() > 2 && text[1] == '#') {
    const bool hex = (text[2] | 0x20) == 'x';
    size_t at = hex ? 3 : 2;
    const size_t first = at;
    uint64_t code = 0;
    for (; at < text.size(); ++at) {
      const char c = static_cast<char>(text[at] | 0x20);
      const int digit = text[at] >= '0' && text[at] <= '9' ? text[at] - '0'
                        : hex && c >= 'a' && c <= 'f'      ? c - 'a' + 10
                                                           : -1;
      if (digit < 0) break;
      code = std::min<uint64_t>(code * (hex ? 16 : 10) + static_cast<uint64_t>(digit), 0x110000);
    }
    if (at == first) return {"", 0};
    return {referenced(code), at + (at < text.size() && text[at] == ';' ? 1 : 0)};
  }
  for (const Entity& e : kEntities)
    if (text.substr(1, e.name.size()) == e.name && text.substr(1 + e.name.size(), 1) == ";")
      return {std::string(e.text), e.name.size() + 2};
  return {"", 0};
}

bool is_unreserved(char c) {
  return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '_' || c == '.' || c == '-' || c == '~';
}

}  // namespace

// markupsafe takes one tag off at a time, and so does the search for the end of each.
std::string without_tags(std::string_view text, Budget& budget) {
  budget.spend_bytes(text.size() * 4);
  const std::string plain = without(without(text, "<!--", "-->"), "<", ">");
  std::string joined;
  for (const auto& [begin, end] : split(plain, nullptr, -1, false, budget)) {
    if (!joined.empty()) joined += ' ';
    joined.append(plain, begin, end - begin);
  }
  std::string out;
  for (size_t at = 0; at < joined.size();) {
    const auto [character, length] =
        joined[at] == '&' ? entity_at(std::string_view(joined).substr(at)) : std::pair<std::string, size_t>();
    if (length == 0)
      out += joined[at++];
    else
      out += character;
    at += length;
  }
  return out;
}

std::string url_quoted(std::string_view text, bool for_query, Budget& budget) {
  budget.spend_bytes(text.size() * 3);
  budget.check_text(text.size() * 3);
  std::string out;
  for (char c : text) {
    if (is_unreserved(c) || (c == '/' && !for_query))
      out += c;
    else if (c == ' ' && for_query)
      out += '+';
    else
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

}  // namespace skald::jinja
