// Activations quantised for integer weights: a row of k values (k a multiple of 32) is k signed bytes, then k/32 float
// scales, then k/32 int32 with -128 times the sum of each block's bytes: what dot products with weights + 128 start from.
// Value i is scale[i / 32] * q[i], with |q| <= 127.
#pragma once

#include <cstdint>

namespace skald {

inline constexpr int64_t kActQ8Block = 32;

/// Bytes of one row, rounded up to whole cache lines.
[[gnu::always_inline]] constexpr int64_t act_q8_bytes(int64_t k) {
  return (k + 2 * (k / kActQ8Block) * static_cast<int64_t>(sizeof(float)) + 63) / 64 * 64;
}

}  // namespace skald
