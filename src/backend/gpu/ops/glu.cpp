#include "graph/ops/glu.h"

#include "backend/gpu/gpu_op.h"

namespace skald {

using namespace gpu;

static void record(const GpuContext& cx, const Activate& a, const GpuOpArgs& io) {
  GluArgs args{.rows = io.count, .gate = matrix(io.in[0]), .up = matrix(io.in[1]), .out = matrix(io.out)};
  args.n = io.out.cols();
  args.forms = io.made_forms();
  cx.kernels.glu[static_cast<size_t>(a.function)](cx.stream, args, io.rows);
}

extern const GpuOp gpu_glu;
const GpuOp gpu_glu = making_forms<Activate>(implement_on_gpu<Activate, record>(op_glu));

}  // namespace skald
