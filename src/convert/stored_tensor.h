// StoredTensor: one tensor of a checkpoint as numbers, from any stored form.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/safetensors.h"
#include "tensor/format.h"

namespace skald {

enum class Element : uint8_t {
  kF32,
  kF16,
  kBF16,
  kF64,
  kF8E4M3,
  kF8E5M2,
  kMxfp4,  // as gpt-oss has it: 16 bytes of two codes each, first the lower one, and a scale elsewhere
};

/// Returns nullopt for whole numbers, and for forms that are read beside others only.
std::optional<Element> element_of(SafetensorsType type);

/// The factors of F8 numbers: a scale for each tile of a matrix.
struct Scales {
  std::vector<float> values;  // (ceil(rows / tile_rows), per_row); empty: none
  int64_t tile_rows = 1, tile_cols = 1, per_row = 1;
};

/// Does not own the data.
struct StoredTensor {
  std::string name;
  Element element;
  std::vector<int64_t> shape;               // row-major
  std::span<const std::byte> data;          // at any address
  Scales scales = {};                       // of F8
  std::span<const uint8_t> mx_scales = {};  // of kMxfp4: one per 32 elements

  int64_t cols() const { return shape.empty() ? 1 : shape.back(); }
  /// Returns the format whose bytes it has; nullptr where there is none (f64, f8).
  const Format* format() const;
  /// n elements, `stride` apart, from the element `first`.
  void read(int64_t first, int64_t stride, int64_t n, float* out) const;
  /// The same in the bytes of format(); of whole blocks and without gaps where it has blocks.
  void copy(int64_t first, int64_t stride, int64_t n, std::byte* out) const;
};

/// Values of the two forms of F8.
float f8e4m3_to_f32(uint8_t code);
float f8e5m2_to_f32(uint8_t code);

}  // namespace skald
