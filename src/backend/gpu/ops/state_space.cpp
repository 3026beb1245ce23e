#include "graph/ops/state_space.h"

#include "backend/gpu/gpu_op.h"

namespace skald {

using namespace gpu;

static void record(const GpuContext& cx, const StateSpace& a, const GpuOpArgs& io) {
  StateSpaceArgs args{.step = cx.block.states(a.slot), .x = matrix(io.in[0]), .b = matrix(io.in[1]), .c = matrix(io.in[2])};
  args.dt = matrix(io.in[3]);
  args.out = matrix(io.out);
  args.rates = io.in[4].as();
  args.skips = io.in[5].as();
  args.heads = a.heads;
  args.groups = a.groups;
  args.d = io.out.cols() / a.heads;
  args.n = io.in[1].cols() / a.groups;
  cx.kernels.state_space(cx.stream, args, io.rows);
}

extern const GpuOp gpu_state_space;
const GpuOp gpu_state_space = implement_on_gpu<StateSpace, record>(op_state_space);

}  // namespace skald
