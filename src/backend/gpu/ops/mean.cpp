#include "graph/ops/mean.h"

#include "backend/gpu/gpu_op.h"

namespace skald {

using namespace gpu;

static void record(const GpuContext& cx, const Mean& a, const GpuOpArgs& io) {
  PartsArgs args{.rows = io.count, .x = matrix(io.in[0]), .out = matrix(io.out)};
  args.parts = a.parts;
  args.n = io.in[0].cols() / a.parts;
  cx.kernels.mean(cx.stream, args, io.rows);
}

extern const GpuOp gpu_mean;
const GpuOp gpu_mean = implement_on_gpu<Mean, record>(op_mean);

}  // namespace skald
