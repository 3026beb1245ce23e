#include "cli/hidden_passwords.h"

#include <algorithm>
#include <string_view>

namespace skald {

void hide_passwords(std::span<char* const> arguments) {
  for (char* const argument : arguments) {
    const std::string_view text = argument;
    const size_t scheme = text.find("://");
    if (scheme == text.npos) continue;
    const size_t begin = scheme + 3, end = std::min(text.find_first_of("/?#", begin), text.size());
    const size_t at = text.substr(0, end).rfind('@'), colon = text.find(':', begin);
    if (at == text.npos || at < begin || colon > at) continue;
    std::fill(argument + colon + 1, argument + at, 'x');
  }
}

}  // namespace skald
