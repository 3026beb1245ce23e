// Four floats at a time, for the searches for scales: any CPU that we run on has them. (encode.cpp files are compiled for
// finite numbers only, so that comparing and choosing is one instruction.)
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

namespace skald {

using Lanes = float __attribute__((vector_size(16)));
inline constexpr int kLanes = 4;

inline Lanes load_lanes(const float* p) {
  Lanes out;
  std::memcpy(&out, p, sizeof out);
  return out;
}

inline void store_lanes(float* p, Lanes v) { std::memcpy(p, &v, sizeof v); }

inline Lanes all_lanes(float x) { return Lanes{x, x, x, x}; }

inline Lanes least(Lanes a, Lanes b) { return a < b ? a : b; }
inline Lanes largest(Lanes a, Lanes b) { return a > b ? a : b; }

/// To the nearest integers, ties to even; magnitudes below 2^22.
inline Lanes rounded(Lanes v) {
  constexpr float kUnit = 0x1.8p23f;  // its last bit counts ones
  return (v + kUnit) - kUnit;
}

inline float sum(Lanes v) { return (v[0] + v[2]) + (v[1] + v[3]); }

/// Returns the place of the largest (the first one) of numbers >= 0, without branches that would be guessed.
template <int n>
inline int place_of_largest(const float (&x)[n]) {
  uint64_t best = 0;  // numbers >= 0 are ordered as their bits
  for (unsigned i = 0; i < n; ++i) best = std::max(best, uint64_t{std::bit_cast<uint32_t>(x[i])} << 32 | (n - 1 - i));
  return n - 1 - static_cast<int>(best & 0xffffffff);
}

/// The same of the least.
template <int n>
inline int place_of_least(const float (&x)[n]) {
  uint64_t best = ~uint64_t{0};
  for (unsigned i = 0; i < n; ++i) best = std::min(best, uint64_t{std::bit_cast<uint32_t>(x[i])} << 32 | i);
  return static_cast<int>(best & 0xffffffff);
}

}  // namespace skald
