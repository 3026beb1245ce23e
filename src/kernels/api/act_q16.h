// Activations of 16 bits for weights of f16 and bf16. A row of k values, filled up with zeros to a multiple of 32, is as
// many int16_t. Value i is scale[i / 32] * q[i], |q| <= 8191. Then for each block of 32:
//   float scale
#pragma once

#include <cstdint>

namespace skald {

inline constexpr int64_t kActQ16Block = 32;
/// 32 products with weights of 13 bits and a sign are within the range of int32_t.
inline constexpr float kActQ16Most = 8191.0f;

/// Blocks of a row.
[[gnu::always_inline]] constexpr int64_t act_q16_blocks(int64_t k) { return (k + kActQ16Block - 1) / kActQ16Block; }
/// Returns where a row's scales begin.
[[gnu::always_inline]] constexpr int64_t act_q16_scales(int64_t k) { return act_q16_blocks(k) * kActQ16Block * 2; }
/// Returns the bytes of one row, rounded up to whole cache lines.
[[gnu::always_inline]] constexpr int64_t act_q16_bytes(int64_t k) {
  return (act_q16_scales(k) + act_q16_blocks(k) * 4 + 63) / 64 * 64;
}

}  // namespace skald
