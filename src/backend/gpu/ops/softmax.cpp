#include "graph/ops/softmax.h"

#include "backend/gpu/gpu_op.h"

namespace skald {

using namespace gpu;

static void record(const GpuContext& cx, const Softmax& a, const GpuOpArgs& io) {
  PartsArgs args{.rows = io.count, .x = matrix(io.in[0]), .out = matrix(io.out)};
  if (io.in.size() == 2) args.sinks = io.in[1].as();
  args.parts = a.parts;
  args.n = io.out.cols() / a.parts;
  cx.kernels.softmax(cx.stream, args, io.rows);
}

extern const GpuOp gpu_softmax;
const GpuOp gpu_softmax = implement_on_gpu<Softmax, record>(op_softmax);

}  // namespace skald
