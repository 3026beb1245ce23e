#include "text/regex_dialect.h"

#include <fmt/format.h>

#include "base/error.h"
#include "text/unicode_additions.h"

namespace skald {
namespace {

// Unicode's property White_Space.
constexpr std::string_view kSpaces =
    R"(\x09-\x0d\x20\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000})";

// The inside of a class for \p{category}.
std::string with_additions(std::string_view category) {
  std::string out = fmt::format(R"(\p{{{}}})", category);
  for (const UnicodeAddition& a : unicode_additions()) {
    if (a.category.starts_with(category)) out += fmt::format(R"(\x{{{:x}}}-\x{{{:x}}})", a.first, a.last);
  }
  return out;
}

}  // namespace

std::string to_pcre2(std::string_view pattern) {
  std::string out;
  bool in_class = false;
  const auto put_class = [&](std::string_view inside) {
    out += in_class ? std::string(inside) : fmt::format("[{}]", inside);
  };
  for (size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '[' || c == ']') in_class = c == '[';
    if (c != '\\') {
      out += c;
      continue;
    }
    SKALD_ASSERT(i + 1 < pattern.size());
    const char escaped = pattern[++i];
    if (escaped == 's') {
      put_class(kSpaces);
    } else if (escaped == 'S') {
      SKALD_ASSERT(!in_class);
      out += fmt::format("[^{}]", kSpaces);
    } else if (escaped == 'p') {
      const size_t end = pattern.find('}', i);
      SKALD_ASSERT(pattern[i + 1] == '{' && end != std::string_view::npos);
      put_class(with_additions(pattern.substr(i + 2, end - i - 2)));
      i = end;
    } else {
      (out += c) += escaped;
    }
  }
  return out;
}

}  // namespace skald
