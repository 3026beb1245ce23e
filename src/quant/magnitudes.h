// The largest magnitude of a block. Magnitudes are compared as whole numbers, which are ordered alike and of which compilers
// take several at once.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

namespace skald {

inline int32_t magnitude_bits(float x) { return std::bit_cast<int32_t>(x) & INT32_MAX; }

/// Of n floats, NaNs not counted.
template <int n>
inline float largest_magnitude(const float* x) {
  constexpr int32_t kInfinity = 0x7f800000;
  int32_t largest = 0;
  for (int i = 0; i < n; ++i) {
    const int32_t magnitude = magnitude_bits(x[i]);
    largest = std::max(largest, magnitude > kInfinity ? 0 : magnitude);
  }
  return std::bit_cast<float>(largest);
}

/// Returns the first element of largest magnitude, with its sign.
template <int n>
inline float peak_of(const float* x) {
  const float largest = largest_magnitude<n>(x);
  int positive = 0, negative = 0;
  for (int i = 0; i < n; ++i) {
    positive |= x[i] == largest ? 1 : 0;
    negative |= x[i] == -largest ? 1 : 0;
  }
  if (!positive || !negative) return negative ? -largest : largest;
  return *std::find_if(x, x + n, [&](float v) { return magnitude_bits(v) == magnitude_bits(largest); });
}

}  // namespace skald
