// Products: a step's rows multiplied by weights in whatever form these lie. Weights that want the rows in the same form
// share it.
#pragma once

#include "backend/gpu/gpu_op.h"

namespace skald::gpu {

/// Bytes of scratch for products with rows like these: the forms that weights may want.
int64_t products_scratch(const ValueDesc& x);

class Products {
 public:
  /// `x`: the rows, of which there are io.count; `scratch` as products_scratch wants it.
  Products(const GpuContext& cx, const GpuOpArgs& io, const TensorView& x, std::byte* scratch);
  /// out (rows, n) = x W^T.
  void multiply(const TensorView& weight, const Matrix& out);

 private:
  void code();
  const std::byte* split(uint32_t format);

  const GpuContext& cx_;
  const GpuOpArgs& io_;
  Matrix x_;
  int64_t columns_;
  CodedRows coded_;
  std::byte* split_[2];  // by the order in which they were asked for
  uint32_t formats_[2] = {};
  int n_split_ = 0;
  bool is_coded_ = false;
};

}  // namespace skald::gpu
