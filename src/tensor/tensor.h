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
  int64_t slice_bytes() const {
    int64_t elements = 1;
    for (int i = 1; i < shape.rank(); ++i) elements *= shape[i];
    return format->bytes(elements);
  }
};

/// A row-major tensor in memory of another owner: dense, or with gaps between its slices (some columns of a
/// matrix, a window of each head's rows).
struct TensorView {
  std::byte* data = nullptr;
  TensorDesc desc;
  int64_t slice_stride = 0;  // bytes between slices, which are what the first dimension counts; 0: dense
  bool packed = false;       // a weight whose rows lie in panels (quant/panels.h)

  const Shape& shape() const { return desc.shape; }
  int64_t rows() const { return desc.shape.rows(); }
  int64_t cols() const { return desc.shape.back(); }
  std::byte* row_bytes(int64_t r) const { return data + r * row_stride(); }
  /// Bytes between the rows of a matrix.
  int64_t row_stride() const { return slice_stride ? slice_stride : desc.row_bytes(); }
  std::byte* slice(int64_t i) const { return data + i * slice_step(); }
  /// Bytes between slices, of which there may be none.
  int64_t slice_step() const { return slice_stride ? slice_stride : desc.slice_bytes(); }
  template <class T = float>
  T* as() const {
    return reinterpret_cast<T*>(data);
  }
  /// Row r of a float (or other unblocked) matrix.
  template <class T = float>
  T* row(int64_t r) const {
    return as<T>() + r * row_step<T>();
  }
  /// Elements between such rows.
  template <class T = float>
  int64_t row_step() const {
    return slice_stride ? slice_stride / static_cast<int64_t>(sizeof(T)) : cols();
  }
};

}  // namespace skald
