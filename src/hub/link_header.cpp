#include "hub/link_header.h"

#include <algorithm>

#include "base/lowercase.h"

namespace skald {
namespace {

// The length of the text up to one of these characters that is not in quotes.
size_t length_before(std::string_view text, std::string_view ends) {
  bool in_quotes = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (in_quotes && text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      in_quotes = !in_quotes;
    } else if (!in_quotes && ends.find(text[i]) != std::string_view::npos) {
      return i;
    }
  }
  return text.size();
}

// Whether one of the parameters, which have semicolons between them, is rel="next".
bool is_next(std::string_view parameters) {
  while (!parameters.empty()) {
    const size_t length = length_before(parameters, ";");
    std::string one = lowercase(parameters.substr(0, length));
    std::erase_if(one, [](char c) { return c == ' ' || c == '\t' || c == '"'; });
    if (one == "rel=next") return true;
    parameters.remove_prefix(std::min(length + 1, parameters.size()));
  }
  return false;
}

}  // namespace

std::string next_link(std::string_view header) {
  while (!header.empty()) {
    const size_t open = header.find('<'), close = header.find('>', open);
    if (open == std::string_view::npos || close == std::string_view::npos) return "";
    const std::string_view target = header.substr(open + 1, close - open - 1);
    header.remove_prefix(close + 1);
    const size_t length = length_before(header, ",");
    if (is_next(header.substr(0, length))) return std::string(target);
    header.remove_prefix(std::min(length + 1, header.size()));
  }
  return "";
}

}  // namespace skald
