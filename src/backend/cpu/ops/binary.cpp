#include "graph/ops/binary.h"

#include "backend/cpu/ops/rowwise.h"

namespace skald {
namespace {

using BinaryKernel = void (*)(const float* a, const float* b, float* y, int64_t n) noexcept;

// `column` applies the operation to a row and one number: y[i] = a[i] op b.
template <class Column>
void run_binary(CpuContext& cx, const OpArgs& io, BinaryKernel kernel, Column column) {
  const TensorView &a = io.in[0], &b = io.in[1];
  const int64_t n = a.cols(), m = b.cols();
  const bool same = m == n && b.rows() == a.rows() && b.shape().rank() == a.shape().rank();
  for_rows(cx, a.rows(), n, [&](int64_t r) {
    const float* x = a.row(r);
    float* y = io.out.row(r);
    if (same)
      kernel(x, b.row(r), y, n);
    else if (b.shape() == Shape{1})
      column(x, *b.as(), y, n);
    else if (b.shape().rank() == 1)
      for (int64_t i = 0; i < n; i += m) kernel(x + i, b.as(), y + i, m);
    else
      for (int64_t i = 0; i < m; ++i) column(x + i * (n / m), b.row(r)[i], y + i * (n / m), n / m);
  });
}

void add(CpuContext& cx, const NoAttrs&, const OpArgs& io) {
  run_binary(cx, io, cx.kernels.add, [](const float* a, float b, float* y, int64_t n) {
    for (int64_t i = 0; i < n; ++i) y[i] = a[i] + b;
  });
}

void mul(CpuContext& cx, const NoAttrs&, const OpArgs& io) {
  run_binary(cx, io, cx.kernels.mul, [](const float* a, float b, float* y, int64_t n) {
    for (int64_t i = 0; i < n; ++i) y[i] = a[i] * b;
  });
}

}  // namespace

extern const CpuOp cpu_add, cpu_mul;
const CpuOp cpu_add = implement<NoAttrs, add>(op_add);
const CpuOp cpu_mul = implement<NoAttrs, mul>(op_mul);

}  // namespace skald
