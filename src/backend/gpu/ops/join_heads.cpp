#include "graph/ops/join_heads.h"

#include "backend/gpu/gpu_op.h"

namespace skald {

using namespace gpu;

static void record(const GpuContext& cx, const JoinHeads& a, const GpuOpArgs& io) {
  JoinHeadsArgs args{.rows = io.count, .a = matrix(io.in[0]), .b = matrix(io.in[1]), .out = matrix(io.out)};
  args.heads = a.heads;
  args.n = io.in[0].cols() / a.heads;
  args.m = a.shared ? io.in[1].cols() : io.in[1].cols() / a.heads;
  args.b_step = a.shared ? 0 : args.m;
  cx.kernels.join_heads(cx.stream, args, io.rows);
}

extern const GpuOp gpu_join_heads;
const GpuOp gpu_join_heads = implement_on_gpu<JoinHeads, record>(op_join_heads);

}  // namespace skald
