// Eight numbers of a cached row as 16-bit floats, which the tensor cores take: `load(row, at)` from dimension `at` on, a
// multiple of 8. Rows of floats may also be copied as they are.
#pragma once

#include "kernels/gpu/formats.h"

namespace skald::gpu {

struct HalvesF16 {
  static constexpr uint32_t kId = GpuF16::kId;
  static constexpr bool kCopied = true;
  SIMT_DEV static simt::Words4 load(const std::byte* row, int at) { return simt::load_once16(row + 2 * at); }
};

/// A signed byte of a word: with 128 added, it is the low bits of the float 2^23, which spares a conversion.
SIMT_DEV float float_of_byte(uint32_t word, int byte) {
  return simt::as_float(simt::permute(word ^ 0x80808080u, 0x4b000000u, 0x7440 + byte)) - 8388736.0f;
}

struct HalvesQ8_0 {
  static constexpr uint32_t kId = GpuQ8_0::kId;
  static constexpr bool kCopied = false;
  SIMT_DEV static simt::Words4 load(const std::byte* row, int at) {
    const auto* block = reinterpret_cast<const uint16_t*>(row + at / 32 * sizeof(BlockQ8_0));
    const float scale = simt::to_float(simt::F16{block[0]});
    const uint16_t* codes = block + 1 + at % 32 / 2;
    simt::Words4 out;
#pragma unroll
    for (int i = 0; i < 4; ++i)
      out.w[i] = simt::pack_f16(float_of_byte(codes[i], 0) * scale, float_of_byte(codes[i], 1) * scale);
    return out;
  }
};

struct HalvesQ4_0 {
  static constexpr uint32_t kId = GpuQ4_0::kId;
  static constexpr bool kCopied = false;
  SIMT_DEV static simt::Words4 load(const std::byte* row, int at) {
    const auto* block = reinterpret_cast<const uint16_t*>(row + at / 32 * sizeof(BlockQ4_0));
    const float scale = simt::to_float(simt::F16{block[0]});
    const uint16_t* codes = block + 1 + at % 16 / 2;
    const int shift = at % 32 < 16 ? 0 : 4;
    simt::Words4 out;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const uint32_t two = static_cast<uint32_t>(codes[i]) >> shift & 0x0f0fu;
      out.w[i] = simt::pack_f16((float_of_byte(two, 0) - 8.0f) * scale, (float_of_byte(two, 1) - 8.0f) * scale);
    }
    return out;
  }
};

}  // namespace skald::gpu
