// The binary element-wise operations with their broadcasts.
#pragma once

#include "backend/cpu/ops/rowwise.h"

namespace skald {

using BinaryKernel = void (*)(const float* a, const float* b, float* y, int64_t n) noexcept;

/// `column` applies the operation to a row and one number: y[i] = a[i] op b.
template <class Column>
void run_binary(CpuContext& cx, const OpArgs& io, BinaryKernel kernel, Column column) {
  const TensorView &a = io.in[0], &b = io.in[1];
  const int64_t n = a.cols();
  for_rows(cx, a.rows(), n, [&](int64_t r) {
    if (b.cols() == n && b.rows() == a.rows() && b.shape().rank() == a.shape().rank())
      kernel(a.row(r), b.row(r), io.out.row(r), n);
    else if (b.shape().rank() == 1)
      kernel(a.row(r), b.row(0), io.out.row(r), n);
    else
      column(a.row(r), *b.row(r), io.out.row(r), n);
  });
}

}  // namespace skald
