// f16: IEEE 754 binary16 values and their exact scalar conversions.
#pragma once

#include <bit>
#include <cstdint>

namespace skald {

/// A column of 16 rows (quant/panels.h).
struct GroupF16 {
  static constexpr int kColumns = 1;
  uint16_t x[16];
};

struct BlockF16 {
  static constexpr uint32_t kId = 1;  // GGUF tensor type
  static constexpr int kSize = 1;     // elements per block
  using Group = GroupF16;
  uint16_t x;
};
static_assert(sizeof(BlockF16) == 2);

/// Exact. A signalling NaN becomes quiet and keeps its payload, as in F16C's vcvtph2ps.
inline float f16_to_f32(uint16_t half) {
  const uint32_t sign = uint32_t{half & 0x8000u} << 16;
  const uint32_t exponent = (half >> 10) & 0x1f;
  const uint32_t mantissa = half & 0x3ff;
  if (exponent == 0) {  // zero or denormal: mantissa * 2^-24, which f32 holds as a normal number
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
    return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(magnitude));
  }
  if (exponent == 0x1f) {
    const uint32_t quiet = mantissa ? 0x400000u : 0u;
    return std::bit_cast<float>(sign | 0x7f800000u | quiet | (mantissa << 13));
  }
  return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
}

/// Round to nearest even; beyond 65504 (rounded) infinity; NaNs become quiet and keep their upper payload bits. Equal to
/// F16C's vcvtps2ph.
inline uint16_t f32_to_f16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = (bits >> 16) & 0x8000u;
  const uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return static_cast<uint16_t>(sign | 0x7e00u | ((magnitude >> 13) & 0x3ffu));
  if (magnitude >= 0x477ff000u) return static_cast<uint16_t>(sign | 0x7c00u);  // 65520, the midpoint after 65504, and above
  if (magnitude >= 0x38800000u) {                                              // 2^-14, the smallest normal half
    const uint32_t odd = (magnitude >> 13) & 1;
    return static_cast<uint16_t>(sign | ((magnitude - 0x38000000u + 0xfffu + odd) >> 13));
  }
  const uint32_t exponent = magnitude >> 23;
  if (exponent < 102) return static_cast<uint16_t>(sign);  // below 2^-25: rounds to zero
  const uint32_t mantissa = (magnitude & 0x7fffffu) | 0x800000u;
  const uint32_t shift = 126 - exponent;  // 14 to 24: the result counts units of 2^-24
  const uint32_t kept = mantissa >> shift, rest = mantissa & ((1u << shift) - 1), half = 1u << (shift - 1);
  const uint32_t up = rest > half || (rest == half && (kept & 1)) ? 1 : 0;
  return static_cast<uint16_t>(sign | (kept + up));  // 0x3ff + 1 is the smallest normal half, as it should be
}

}  // namespace skald
