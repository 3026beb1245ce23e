#include <algorithm>

#include "cli/manual/completions.h"

namespace skald {

std::string short_help(const DeclaredFlag& flag) {
  const std::string_view text = flag.help;
  size_t end = text.size();
  for (const std::string_view stop : {"; ", ". ", "\n"}) end = std::min(end, text.find(stop));
  return std::string(text.substr(0, end));
}

}  // namespace skald
