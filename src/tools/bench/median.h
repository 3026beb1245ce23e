// The median of measured times.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace skald {

/// Returns the median of one or more values; of an even number of them the mean of the middle two.
inline double median(std::vector<double> values) {
  std::ranges::sort(values);
  const size_t n = values.size();
  return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

}  // namespace skald
