#include "text/chat/replies/reply_format.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cctype>
#include <vector>

#include "base/error.h"

namespace skald {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

}  // namespace

bool uses_tools(std::string_view source) {
  constexpr std::string_view kTools = "tools";
  for (size_t at = source.find(kTools); at != std::string_view::npos; at = source.find(kTools, at + 1)) {
    const size_t after = at + kTools.size();
    const bool whole = (at == 0 || !is_word(source[at - 1])) && (after == source.size() || !is_word(source[after]));
    const size_t open = source.substr(0, at).rfind('{'), close = source.substr(0, at).rfind("%}");
    const bool code = open != std::string_view::npos && open + 1 < source.size() &&
                      (source[open + 1] == '%' || source[open + 1] == '{' || (open > 0 && source[open - 1] == '{')) &&
                      (close == std::string_view::npos || close < open);
    if (whole && code) return true;
  }
  return false;
}

const ReplyFormat& find_reply_format(std::string_view name) {
  std::vector<std::string_view> names;
  for (const ReplyFormat* format : reply_formats()) {
    if (format->name == name) return *format;
    names.push_back(format->name);
  }
  fail(Errc::kNotFound, "unknown reply format '{}'; there are {}", name, fmt::join(names, ", "));
}

const ReplyFormat& detect_reply_format(std::string_view source) {
  for (const ReplyFormat* format : reply_formats()) {
    if (format->is_of(source)) return *format;
  }
  return find_reply_format(uses_tools(source) ? "json" : "none");
}

}  // namespace skald
