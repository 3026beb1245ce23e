// The comparator of the project: every test that compares floats with floats does it here.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>

namespace skald::test {

namespace close_to_detail {

template <class Limit>
testing::AssertionResult compare(std::span<const float> got, std::span<const float> want, Limit limit) {
  if (got.size() != want.size())
    return testing::AssertionFailure() << "got " << got.size() << " values, want " << want.size();
  size_t bad = 0, first = 0, worst = 0;
  double worst_excess = -1;
  for (size_t i = 0; i < got.size(); ++i) {
    const double difference = std::abs(static_cast<double>(got[i]) - static_cast<double>(want[i])), bound = limit(i);
    // Equal infinities pass; comparisons with a NaN do not.
    if (got[i] == want[i] ? bound >= 0 : difference <= bound) continue;
    if (bad++ == 0) first = i;
    const double ratio = difference / bound;
    const double excess = std::isnan(ratio) ? HUGE_VAL : ratio;
    if (excess > worst_excess) {
      worst_excess = excess;
      worst = i;
    }
  }
  if (!bad) return testing::AssertionSuccess();
  const auto show = [&](size_t i) {
    const double difference = std::abs(static_cast<double>(got[i]) - static_cast<double>(want[i]));
    return "[" + std::to_string(i) + "] got " + testing::PrintToString(got[i]) + ", want " +
           testing::PrintToString(want[i]) + ", off by " + testing::PrintToString(difference) + ", limit " +
           testing::PrintToString(limit(i));
  };
  return testing::AssertionFailure() << bad << " of " << got.size() << " values are too far off; first " << show(first)
                                     << "; worst " << show(worst);
}

}  // namespace close_to_detail

/// Every value within `limit` of the wanted one. NaN is never close to anything, nor is anything within a NaN limit.
inline testing::AssertionResult close_to(std::span<const float> got, std::span<const float> want, double limit) {
  return close_to_detail::compare(got, want, [=](size_t) { return limit; });
}

/// Value i within limits[i].
inline testing::AssertionResult close_to(std::span<const float> got, std::span<const float> want,
                                         std::span<const double> limits) {
  if (limits.size() != want.size())
    return testing::AssertionFailure() << limits.size() << " limits for " << want.size() << " values";
  return close_to_detail::compare(got, want, [=](size_t i) { return limits[i]; });
}

/// The same bits, value by value (so -0 is not 0, and a NaN equals itself).
inline testing::AssertionResult same_bits(std::span<const float> got, std::span<const float> want) {
  if (got.size() != want.size())
    return testing::AssertionFailure() << "got " << got.size() << " values, want " << want.size();
  for (size_t i = 0; i < got.size(); ++i)
    if (std::bit_cast<uint32_t>(got[i]) != std::bit_cast<uint32_t>(want[i]))
      return testing::AssertionFailure() << "[" << i << "] got " << testing::PrintToString(got[i]) << ", want exactly "
                                         << testing::PrintToString(want[i]);
  return testing::AssertionSuccess();
}

/// A dot product in double, and the sum of its terms' magnitudes, with which rounding grows.
struct Dot {
  double sum = 0, magnitude = 0;

  /// Two ranges of numbers, the second at least as long as the first.
  template <class A, class B>
  Dot(const A& a, const B& b) {
    for (size_t i = 0; i < a.size(); ++i) {
      const double term = static_cast<double>(a[i]) * static_cast<double>(b[i]);
      sum += term;
      magnitude += std::abs(term);
    }
  }
  /// The possible change of a partial sum by `roundings` float roundings.
  double limit(double roundings) const { return magnitude * 0x1p-24 * roundings; }
};

}  // namespace skald::test
