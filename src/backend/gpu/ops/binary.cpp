#include "graph/ops/binary.h"

#include "backend/gpu/gpu_op.h"

namespace skald {

using namespace gpu;

// b is as a; one number; a row for all; or columns that each go with neighbours.
static BinaryArgs args_of(const GpuOpArgs& io) {
  const TensorView &a = io.in[0], &b = io.in[1];
  const int64_t n = a.cols(), m = b.cols();
  BinaryArgs args{.rows = io.count, .a = matrix(a), .b = matrix(b), .out = matrix(io.out), .n = n, .period = n};
  if (b.shape().rank() == 1) {
    args.b.step = 0;
    if (m == 1)
      args.run = n;
    else
      args.period = m;
  } else {
    args.run = n / m;
  }
  return args;
}

static void add(const GpuContext& cx, const NoAttrs&, const GpuOpArgs& io) {
  cx.kernels.add(cx.stream, args_of(io), io.rows);
}
static void mul(const GpuContext& cx, const NoAttrs&, const GpuOpArgs& io) {
  cx.kernels.mul(cx.stream, args_of(io), io.rows);
}

extern const GpuOp gpu_add, gpu_mul;
const GpuOp gpu_add = implement_on_gpu<NoAttrs, add>(op_add);
const GpuOp gpu_mul = implement_on_gpu<NoAttrs, mul>(op_mul);

}  // namespace skald
