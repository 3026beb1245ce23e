// Axes of plots: their ranges, and the places and names of their ticks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace skald {

enum class Scale : uint8_t {
  kLinear,  // begins at zero unless values are negative
  kLog2,    // ticks at powers of two
  kLog10,   // ticks at 1, 2 and 5 times powers of ten
};

struct AxisRange {
  Scale scale = Scale::kLinear;
  double low = 0, high = 1;  // low < high; both are ticks
  std::vector<double> ticks = {};

  /// Returns where a value lies: 0 at `low`, 1 at `high`.
  double place(double value) const;
};

/// Returns a range with at most some ten ticks that holds all values from `least` to `most`. Throws kBadInput when these are
/// not finite, or not above zero on a logarithmic axis.
AxisRange axis_range(Scale scale, double least, double most);

/// "0.5", "12,000"; on axes of powers of two "16k" for 16384.
std::string tick_label(Scale scale, double value);

}  // namespace skald
