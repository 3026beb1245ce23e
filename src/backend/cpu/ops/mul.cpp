#include "graph/ops/mul.h"

#include "backend/cpu/ops/binary.h"

namespace skald {

static void run(CpuContext& cx, const NoAttrs&, const OpArgs& io) {
  run_binary(cx, io, cx.kernels.mul, [](const float* a, float b, float* y, int64_t n) {
    for (int64_t i = 0; i < n; ++i) y[i] = a[i] * b;
  });
}

extern const CpuOp cpu_mul;
const CpuOp cpu_mul = implement<NoAttrs, run>(op_mul);

}  // namespace skald
