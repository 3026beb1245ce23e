// Eight floats at a time: what passes over a whole vocabulary are written in. The compiler makes the CPU's vectors of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

namespace skald {

using Lanes = float __attribute__((vector_size(32)));
using LaneInts = int32_t __attribute__((vector_size(32)));
using HalfLanes = float __attribute__((vector_size(16)));
using LaneSums = double __attribute__((vector_size(32)));  // of the lower and of the upper half together
inline constexpr size_t kLanes = 8;
inline constexpr size_t in_lanes(size_t n) { return (n + kLanes - 1) / kLanes * kLanes; }
inline constexpr float kGone = -std::numeric_limits<float>::infinity();  // logit of what cannot come next

[[gnu::always_inline]] inline Lanes load_lanes(const float* p) {
  Lanes out;
  std::memcpy(&out, p, sizeof out);
  return out;
}
[[gnu::always_inline]] inline void store_lanes(float* p, Lanes v) { std::memcpy(p, &v, sizeof v); }
[[gnu::always_inline]] inline Lanes all_lanes(float x) { return x - Lanes{}; }

[[gnu::always_inline]] inline LaneSums add_halves(Lanes v) {
  HalfLanes halves[2];
  std::memcpy(halves, &v, sizeof v);
  return __builtin_convertvector(halves[0], LaneSums) + __builtin_convertvector(halves[1], LaneSums);
}
[[gnu::always_inline]] inline double sum_of(LaneSums v) { return (v[0] + v[2]) + (v[1] + v[3]); }
[[gnu::always_inline]] inline size_t sum_of(LaneInts v) {
  size_t sum = 0;
  for (size_t i = 0; i < kLanes; ++i) sum += static_cast<size_t>(v[i]);
  return sum;
}

/// exp(x) for x <= 0 within 2e-7 of itself; 0 below -87. 2^n times Taylor's polynomial for the rest, which is at most
/// ln(2) / 2.
[[gnu::always_inline]] inline Lanes exp_lanes(Lanes x) {
  constexpr float kRound = 12582912.0f;  // 1.5 * 2^23: adding it rounds to a whole number
  const LaneInts tiny = x < -87.0f;
  x = tiny ? all_lanes(-87) : x;
  const Lanes shifted = x * 1.44269504f + kRound, n = shifted - kRound;
  const Lanes r = (x - n * 0.693359375f) + n * 2.12194440e-4f;  // ln(2) in two parts, the first of them short
  Lanes p = all_lanes(1.0f / 5040);
  for (const float factor : {1.0f / 720, 1.0f / 120, 1.0f / 24, 1.0f / 6, 0.5f, 1.0f, 1.0f}) p = p * r + factor;
  LaneInts bits, power;
  std::memcpy(&bits, &p, sizeof p);
  std::memcpy(&power, &shifted, sizeof shifted);
  bits = (bits + (power << 23)) & ~tiny;
  std::memcpy(&p, &bits, sizeof p);
  return p;
}

}  // namespace skald
