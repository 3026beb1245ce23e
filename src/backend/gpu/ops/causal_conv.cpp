#include "graph/ops/causal_conv.h"

#include "backend/gpu/gpu_op.h"

namespace skald {

using namespace gpu;

static void record(const GpuContext& cx, const CausalConv& a, const GpuOpArgs& io) {
  CausalConvArgs args{.step = cx.block.states(a.slot), .x = matrix(io.in[0]), .out = matrix(io.out)};
  args.weight = io.in[1].as();
  if (io.in.size() == 3) args.bias = io.in[2].as();
  args.n = io.out.cols();
  args.taps = a.taps;
  args.silu = a.silu;
  cx.kernels.causal_conv(cx.stream, args, io.rows);
}

extern const GpuOp gpu_causal_conv;
const GpuOp gpu_causal_conv = implement_on_gpu<CausalConv, record>(op_causal_conv);

}  // namespace skald
