#include "graph/ops/delta_net.h"

#include "backend/gpu/gpu_op.h"
#include "kernels/gpu/delta_net.h"

namespace skald {

using namespace gpu;

static std::string refuse(const GpuKernels&, const DeltaNet& a, std::span<const ValueDesc> in) {
  const int64_t d_k = in[0].shape[1] / a.key_heads;
  if (d_k <= kMaxDeltaKeys) return {};
  return fmt::format("no kernel keeps states of keys with {} numbers: at most {}", d_k, kMaxDeltaKeys);
}

static void record(const GpuContext& cx, const DeltaNet& a, const GpuOpArgs& io) {
  DeltaNetArgs args{.step = cx.block.states(a.slot), .q = matrix(io.in[0]), .k = matrix(io.in[1]), .v = matrix(io.in[2])};
  args.decays = matrix(io.in[3]);
  args.betas = matrix(io.in[4]);
  args.out = matrix(io.out);
  args.rates = io.in[5].as();
  args.heads = a.heads;
  args.key_heads = a.key_heads;
  args.d_k = io.in[0].cols() / a.key_heads;
  args.d_v = io.out.cols() / a.heads;
  args.tiled = a.tiled;
  args.decay_by_row = io.in[3].cols() != a.heads;
  args.eps = a.eps;
  cx.kernels.delta_net(cx.stream, args, io.rows);
}

extern const GpuOp gpu_delta_net;
const GpuOp gpu_delta_net = implement_on_gpu<DeltaNet, record, refuse>(op_delta_net);

}  // namespace skald
