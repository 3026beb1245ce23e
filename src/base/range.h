// Range: which numbers a parameter takes.
#pragma once

#include <string>
#include <string_view>

namespace skald {

struct Range {
  double least, most;
  bool without_least = false;

  /// Tells whether x is in it, which no infinite number is. Its ends may be infinite.
  bool has(double x) const;
  /// Describes it: "a number from 0 to 1".
  std::string words(std::string_view what) const;
};

}  // namespace skald
