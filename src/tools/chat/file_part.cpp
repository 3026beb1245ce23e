#include "tools/chat/file_part.h"

#include <fmt/format.h>

#include <algorithm>

namespace skald {

static size_t longest_run(std::string_view text, char c) {
  size_t longest = 0, run = 0;
  for (const char next : text) {
    run = next == c ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

// The fence is longer than any within the text.
std::string as_part_of_message(const std::string& path, std::string_view text) {
  const std::string fence(std::max<size_t>(3, longest_run(text, '`') + 1), '`');
  const char* const end = text.empty() || text.ends_with('\n') ? "" : "\n";
  return fmt::format("{}:\n{}\n{}{}{}\n\n", path, fence, text, end, fence);
}

}  // namespace skald
