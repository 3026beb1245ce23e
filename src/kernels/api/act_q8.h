// Activations quantised for integer weights: a row of k values (k a multiple of 32) is k signed bytes. Value i is scale[i /
// 32] * q[i], |q| <= 127. Then for each block of 32, array by array:
//   float    scale
//   int32_t  start: -128 times the sum of its bytes, at which dot products with weights + 128 start
//   int32_t  starts of its halves, which have 16 elements each
//   float    total: scale times the sum of its bytes, for the addend of all weights of a block
//   int32_t  negatives: the sum of the magnitudes of its negative bytes, which products with complements of weights lack
#pragma once

#include <cstdint>

namespace skald {

inline constexpr int64_t kActQ8Block = 32;

/// Where a row's arrays begin.
struct ActQ8Row {
  int64_t scales, starts, halves, totals, negatives, end;  // bytes

  [[gnu::always_inline]] constexpr explicit ActQ8Row(int64_t k)
      : scales(k), starts(k + k / 8), halves(k + k / 4), totals(k + k / 2), negatives(k + k / 8 * 5), end(k + k / 4 * 3) {}
};

/// Returns the bytes of one row, rounded up to an odd number of cache lines: a piece of many rows spreads over all sets of a
/// cache so.
[[gnu::always_inline]] constexpr int64_t act_q8_bytes(int64_t k) { return ((ActQ8Row(k).end + 63) / 64 | 1) * 64; }

}  // namespace skald
