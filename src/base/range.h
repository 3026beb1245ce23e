// Range: which numbers a parameter takes.
#pragma once

#include <string>
#include <string_view>

namespace skald {

struct Range {
  double least, most;
  bool without_least = false;

  /// Finite numbers alone are in a range, whose ends may be infinite.
  bool has(double x) const;
  /// "a number from 0 to 1"
  std::string words(std::string_view what) const;
};

}  // namespace skald
