// Threading of row-wise and element-wise operations: small ones stay on the calling thread, where a fork would cost more.
#pragma once

#include <algorithm>

#include "backend/cpu/cpu_op.h"

namespace skald {

inline constexpr int64_t kForkElements = 16384;  // about the work of a fork-join

/// body(row) for every row; `cols` is the work per row, in elements.
template <class Body>
void for_rows(CpuContext& cx, int64_t rows, int64_t cols, Body&& body) {
  if (rows < 2 || rows * cols < kForkElements) {
    for (int64_t r = 0; r < rows; ++r) body(r);
    return;
  }
  cx.pool.ranges(rows, 1, [&](int64_t begin, int64_t end, int) {
    for (int64_t r = begin; r < end; ++r) body(r);
  });
}

/// out = f(in) for every value of the first input.
template <class F>
void map_values(CpuContext& cx, const OpArgs& io, F&& f) {
  const int64_t n = io.out.cols();
  for_rows(cx, io.out.rows(), n, [&](int64_t r) {
    const float* x = io.in[0].row(r);
    std::transform(x, x + n, io.out.row(r), f);
  });
}

}  // namespace skald
