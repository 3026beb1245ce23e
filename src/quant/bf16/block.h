// bf16: the upper half of an f32, and its exact scalar conversions.
#pragma once

#include <bit>
#include <cstdint>

namespace skald {

/// Two columns of 16 rows (quant/panels.h).
struct GroupBf16 {
  static constexpr int kColumns = 2;
  uint16_t x[16][2];
};

struct BlockBf16 {
  static constexpr uint32_t kId = 30;  // GGUF tensor type
  static constexpr int kSize = 1;      // elements per block
  using Group = GroupBf16;
  uint16_t x;
};
static_assert(sizeof(BlockBf16) == 2);

/// Exact, including every NaN.
inline float bf16_to_f32(uint16_t value) { return std::bit_cast<float>(uint32_t{value} << 16); }

/// Round to nearest even; NaNs become quiet and keep their upper payload bits; denormals are kept (the hardware's
/// vcvtneps2bf16 flushes them to zero).
inline uint16_t f32_to_bf16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>((bits >> 16) | 0x40u);
  return static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1)) >> 16);
}

}  // namespace skald
