#include "graph/ops/linear.h"

#include "backend/cpu/matmul.h"

namespace skald {
namespace {

int64_t plan(const Linear&, const CpuPlanArgs& args) {
  return matmul_scratch(args.kernels, args.in[0].shape, args.views[1]);
}

void run(CpuContext& cx, const Linear&, const OpArgs& io) {
  const TensorView &w = io.in[1], &y = io.out;
  const MatmulInput x = prepare(cx, io.in[0], w, cx.scratch);
  cx.pool.guided(y.cols(), kOutputGrain, [&](int64_t begin, int64_t end, int) {
    multiply(cx.kernels, w, x, y.rows(), begin, end, y.as<float>() + begin, y.cols());
  });
}

}  // namespace

extern const CpuOp cpu_linear;
const CpuOp cpu_linear = implement<Linear, run, plan>(op_linear);

}  // namespace skald
