// Eight numbers of a cached row as 16-bit floats, which the tensor cores take: `load(row, at, shape)` from dimension `at`
// on, a multiple of 8 below the row's columns. Rows of 16-bit floats may also be copied as they are.
#pragma once

#include "kernels/gpu/bytes.inl"
#include "kernels/gpu/cache.inl"
#include "kernels/gpu/formats.h"

namespace skald::gpu {

/// Of cached keys, or of values.
struct RowShape {
  uint32_t format;
  int columns;
};

/// One of them: its numbers, or the codes of its blocks, `to_scales` bytes before their scales.
struct CachedRow {
  const std::byte* data;
  int to_scales;
  SIMT_DEV float scale(int at) const {
    return simt::to_float(reinterpret_cast<const simt::F16*>(data + to_scales)[at / kCachedBlock]);
  }
};
SIMT_DEV CachedRow row_at(const std::byte* page, int i, int stride, const RowShape& shape) {
  return {page + i * stride, has_blocks(shape.format) ? bytes_to_scales(shape.format, stride, i) : 0};
}

struct HalvesF16 {
  static constexpr uint32_t kId = GpuF16::kId;
  static constexpr bool kCopied = true, kAny = false;
  SIMT_DEV static simt::Words4 load(const CachedRow& row, int at, const RowShape&) {
    return simt::load_once16(row.data + 2 * at);
  }
};

struct HalvesQ8_0 {
  static constexpr uint32_t kId = GpuQ8_0::kId;
  static constexpr bool kCopied = false, kAny = false;
  SIMT_DEV static simt::Words4 load(const CachedRow& row, int at, const RowShape&) {
    const simt::Words2 codes = simt::load_once8(row.data + at);
    const float scale = row.scale(at);
    simt::Words4 out;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const uint32_t four = codes.w[i / 2] ^ 0x80808080U;
      out.w[i] = simt::pack_f16(byte_less(four, i % 2 * 2, 128) * scale, byte_less(four, i % 2 * 2 + 1, 128) * scale);
    }
    return out;
  }
};

struct HalvesQ4_0 {
  static constexpr uint32_t kId = GpuQ4_0::kId;
  static constexpr bool kCopied = false, kAny = false;
  SIMT_DEV static simt::Words4 load(const CachedRow& row, int at, const RowShape&) {
    const simt::Words2 codes = simt::load_once8(row.data + at / 32 * 16 + at % 16);
    const float scale = row.scale(at);
    const int shift = at % 32 < 16 ? 0 : 4;
    simt::Words4 out;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const uint32_t four = codes.w[i / 2] >> shift & 0x0f0f0f0fU;
      out.w[i] = simt::pack_f16(byte_less(four, i % 2 * 2, 8) * scale, byte_less(four, i % 2 * 2 + 1, 8) * scale);
    }
    return out;
  }
};

/// Rows of any format, floats number by number. Numbers beyond those of 16 bits become the largest of these.
struct HalvesAny {
  static constexpr uint32_t kId = GpuF32::kId;
  static constexpr bool kCopied = false, kAny = true;

  SIMT_DEV static simt::Words4 load(const CachedRow& row, int at, const RowShape& shape) {
    if (shape.format == GpuQ8_0::kId) return HalvesQ8_0::load(row, at, shape);
    if (shape.format == GpuQ4_0::kId) return HalvesQ4_0::load(row, at, shape);
    const int bytes = static_cast<int>(cached_bytes(shape.format));
    const Cached numbers{const_cast<std::byte*>(row.data) + at * bytes, bytes, shape.format};
    simt::Words4 out;
#pragma unroll
    for (int i = 0; i < 4; ++i)
      out.w[i] = simt::pack_f16(number(numbers, 2 * i, shape.columns - at), number(numbers, 2 * i + 1, shape.columns - at));
    return out;
  }

 private:
  SIMT_DEV static float number(const Cached& numbers, int i, int n) {
    constexpr float kMost = 65504;
    const float x = i < n ? load_cached(numbers, i) : 0.0f;
    return x > kMost ? kMost : x < -kMost ? -kMost : x;
  }
};

template <class Cache>
SIMT_DEV RowShape shape_of(uint32_t format, int64_t n) {
  const uint32_t id = Cache::kAny ? format : Cache::kId;
  return {id, static_cast<int>(cached_columns(id, n))};
}

}  // namespace skald::gpu
