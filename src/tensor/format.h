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
  /// n elements (a multiple of `block`) to float and back; null for formats that are only stored (i32).
  void (*decode)(const void* src, float* dst, int64_t n);
  void (*encode)(const float* src, void* dst, int64_t n);

  constexpr int64_t bytes(int64_t elements) const { return elements / block * block_bytes; }
};

/// The plain element types that every folder may name; quantised formats are found through quant/registry.h.
extern const Format format_f32;
extern const Format format_i32;  // token ids, positions; stored only
extern const Format format_i8;   // integers whose scale lies elsewhere; stored only

}  // namespace skald
