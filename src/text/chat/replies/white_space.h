// White space as JSON and the formats of replies know it.
#pragma once

#include <string_view>

namespace skald {

inline constexpr std::string_view kWhiteSpace = " \t\r\n";

constexpr bool is_white_space(char c) { return kWhiteSpace.find(c) != std::string_view::npos; }

constexpr std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(kWhiteSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kWhiteSpace) - begin + 1);
}

}  // namespace skald
