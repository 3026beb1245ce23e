// TensorDesc: what a tensor is; TensorView: where its elements are. Neither owns memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tensor/format.h"
#include "tensor/shape.h"

namespace skald {

struct TensorDesc {
  const Format* format = nullptr;
  Shape shape;

  int64_t bytes() const { return format->bytes(shape.elements()); }
  int64_t row_bytes() const { return format->bytes(shape.back()); }
};

/// A row-major tensor in memory that somebody else keeps alive: dense, or with gaps between its slices.
struct TensorView {
  std::byte* data = nullptr;
  TensorDesc desc;
  int64_t slice_stride = 0;  // bytes between slices, which are what the first dimension counts; 0: dense
  bool packed = false;       // a weight whose rows lie in panels (quant/panels.h)

  const Shape& shape() const { return desc.shape; }
  int64_t rows() const { return desc.shape.rows(); }
  int64_t cols() const { return desc.shape.back(); }
  std::byte* row_bytes(int64_t r) const { return data + r * desc.row_bytes(); }
  std::byte* slice(int64_t i) const { return data + i * (slice_stride ? slice_stride : desc.bytes() / desc.shape[0]); }
  template <class T = float>
  T* as() const {
    return reinterpret_cast<T*>(data);
  }
  /// Row r of a float (or other unblocked) tensor.
  template <class T = float>
  T* row(int64_t r) const {
    return as<T>() + r * cols();
  }
};

}  // namespace skald
