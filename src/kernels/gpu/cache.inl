// Where a sequence's keys and values lie, and their numbers: f32, f16 or bf16, or blocks of q8_0 or q4_0 in planes: the
// codes of a page's 64 rows, then the scales of each row's blocks.
#pragma once

#include "kernels/api/kv_page.h"
#include "kernels/gpu/formats.h"
#include "kernels/gpu/rows.inl"

namespace skald::gpu {

/// The numbers of one key or value, `step` bytes apart; or the codes of its blocks, `step` bytes before their scales.
struct Cached {
  std::byte* data;
  int64_t step;
  uint32_t format;
  SIMT_DEV std::byte* at(int64_t i) const { return data + i * step; }
  SIMT_DEV simt::F16* scales() const { return reinterpret_cast<simt::F16*>(data + step); }
};

inline constexpr int64_t kCachedBlock = 32;  // numbers

SIMT_DEV bool has_blocks(uint32_t format) { return format == GpuQ8_0::kId || format == GpuQ4_0::kId; }
/// Numbers of a cached row of n: blocks are filled up.
SIMT_DEV int64_t cached_columns(uint32_t format, int64_t n) {
  return has_blocks(format) ? (n + kCachedBlock - 1) / kCachedBlock * kCachedBlock : n;
}
SIMT_DEV int64_t cached_bytes(uint32_t format) { return format == GpuF32::kId ? 4 : 2; }

/// Bytes from the codes of row i of a page to their scales; `codes`: of a row. There is a scale of two bytes for each 32.
template <class T>
SIMT_DEV T bytes_to_scales(uint32_t format, T codes, T i) {
  return (static_cast<T>(kPageKeys) - i) * codes + i * (codes / (format == GpuQ8_0::kId ? 16 : 8));
}

/// Row i of a page of keys or values that are not by dimensions.
SIMT_DEV Cached cached_row(std::byte* page, int64_t i, int64_t stride, uint32_t format) {
  return {page + i * stride, has_blocks(format) ? bytes_to_scales(format, stride, i) : cached_bytes(format), format};
}

SIMT_DEV Cached key_of(const SequenceKv& kv, int64_t head, int64_t slot) {
  std::byte* page = kv.k_pages[slot / kPageKeys] + kv.k_offset + head * kv.k_head_stride;
  const int64_t in_page = slot % kPageKeys;
  if (kv.k_by_dimensions) return {page + in_page * cached_bytes(kv.k_format), kv.k_stride, kv.k_format};
  return cached_row(page, in_page, kv.k_stride, kv.k_format);
}

SIMT_DEV Cached value_of(const SequenceKv& kv, int64_t head, int64_t slot) {
  std::byte* page = kv.v_pages[slot / kPageKeys] + kv.v_offset + head * kv.v_head_stride;
  return cached_row(page, slot % kPageKeys, kv.v_stride, kv.v_format);
}

SIMT_DEV int code_of(const Cached& x, int64_t i) {
  if (x.format == GpuQ8_0::kId) return static_cast<int8_t>(x.data[i]);
  const int pair = static_cast<uint8_t>(x.data[i / kCachedBlock * 16 + i % 16]);
  return (pair >> (i % kCachedBlock < 16 ? 0 : 4) & 15) - 8;
}

SIMT_DEV float load_cached(const Cached& x, int64_t i) {
  if (x.format == GpuF32::kId) return GpuF32::at(x.at(i), 0);
  if (x.format == GpuF16::kId) return GpuF16::at(x.at(i), 0);
  if (x.format == GpuBf16::kId) return GpuBf16::at(x.at(i), 0);
  return simt::to_float(x.scales()[i / kCachedBlock]) * static_cast<float>(code_of(x, i));
}

/// Of formats without blocks.
SIMT_DEV void store_cached(const Cached& x, int64_t i, float v) {
  if (x.format == GpuF32::kId)
    *reinterpret_cast<float*>(x.at(i)) = v;
  else if (x.format == GpuF16::kId)
    *reinterpret_cast<simt::F16*>(x.at(i)) = simt::to_f16(v);
  else
    *reinterpret_cast<simt::Bf16*>(x.at(i)) = simt::to_bf16(v);
}

}  // namespace skald::gpu
