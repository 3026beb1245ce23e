// Format: how the elements of a tensor lie in memory, plain or in quantised blocks.
#pragma once

#include <cstdint>
#include <string_view>

namespace skald {

/// The codec is the exact scalar definition of the format; fast kernels are tested against it.
struct Format {
  std::string_view name;  // "q8_0"
  uint32_t id;            // GGUF tensor type number; also the index of the format in kernel tables
  int64_t block;          // elements per block
  int64_t block_bytes;    // bytes per block
  /// n elements (a multiple of `block`) to float and back; null for formats that are only stored (i32) and, of `encode`,
  /// those that are only read.
  void (*decode)(const void* src, float* dst, int64_t n);
  void (*encode)(const float* src, void* dst, int64_t n);
  /// For formats without `encode`: gives blocks of arbitrary bytes, which hold n elements, such scales that values spread
  /// over about +-largest.
  void (*set_scales)(void* blocks, int64_t n, float largest) = nullptr;

  constexpr int64_t bytes(int64_t elements) const { return elements / block * block_bytes; }
  constexpr double bytes_per_number() const { return static_cast<double>(block_bytes) / static_cast<double>(block); }
};

/// The plain element types that every folder may name; quantised formats are found through quant/registry.h.
extern const Format format_f32;
extern const Format format_i32;  // token ids, positions; stored only
extern const Format format_i8;   // integers whose scale lies elsewhere; stored only

}  // namespace skald
