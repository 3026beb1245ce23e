#include "cli/flags/override_list.h"

#include <cctype>
#include <string_view>

namespace skald {
namespace {

bool in_key(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '-'; }

// Whether "key=type:" is what `text` begins with.
bool begins_an_override(std::string_view text) {
  size_t at = 0;
  while (at < text.size() && in_key(text[at])) ++at;
  if (at == 0 || at == text.size() || text[at] != '=') return false;
  for (const std::string_view type : {"int:", "float:", "bool:", "str:"})
    if (text.substr(at + 1).starts_with(type)) return true;
  return false;
}

}  // namespace

std::vector<std::string> split_overrides(const std::vector<std::string>& arguments) {
  std::vector<std::string> out;
  for (const std::string& argument : arguments) {
    size_t begin = 0;
    for (size_t comma = argument.find(','); comma != std::string::npos; comma = argument.find(',', comma + 1))
      if (begins_an_override(std::string_view(argument).substr(comma + 1))) {
        out.push_back(argument.substr(begin, comma - begin));
        begin = comma + 1;
      }
    out.push_back(argument.substr(begin));
  }
  return out;
}

}  // namespace skald
