// Completions: the ways in which a line may go on that a person types.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace skald {

struct Completion {
  size_t from = 0;                      // the line's last word begins here
  std::vector<std::string> words = {};  // that it may become

  /// Returns the longest beginning that all words have, in whole characters; at least the line's word where there are some.
  std::string common() const;
  /// Returns the words in one line, files without their folder; of many the first ones.
  std::string listed() const;
};

/// Returns the files whose path begins with `typed`, in order; folders end in a slash. Hidden ones are left out where the
/// dot is not typed, and names with control characters always.
std::vector<std::string> paths_like(std::string_view typed);

}  // namespace skald
