// Eight numbers of a cached row as 16-bit floats, which the tensor cores take: `load(row, at)` from dimension `at` on, a
// multiple of 8. Rows of floats may also be copied as they are.
#pragma once

#include "kernels/gpu/bytes.inl"
#include "kernels/gpu/formats.h"

namespace skald::gpu {

struct HalvesF16 {
  static constexpr uint32_t kId = GpuF16::kId;
  static constexpr bool kCopied = true;
  SIMT_DEV static simt::Words4 load(const std::byte* row, int at) { return simt::load_once16(row + 2 * at); }
};

struct HalvesQ8_0 {
  static constexpr uint32_t kId = GpuQ8_0::kId;
  static constexpr bool kCopied = false;
  SIMT_DEV static simt::Words4 load(const std::byte* row, int at) {
    const auto* block = reinterpret_cast<const uint16_t*>(row + at / 32 * sizeof(BlockQ8_0));
    const float scale = simt::to_float(simt::F16{block[0]});
    const uint16_t* codes = block + 1 + at % 32 / 2;
    simt::Words4 out;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const uint32_t two = codes[i] ^ 0x8080U;
      out.w[i] = simt::pack_f16(byte_less(two, 0, 128) * scale, byte_less(two, 1, 128) * scale);
    }
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
      out.w[i] = simt::pack_f16(byte_less(two, 0, 8) * scale, byte_less(two, 1, 8) * scale);
    }
    return out;
  }
};

}  // namespace skald::gpu
