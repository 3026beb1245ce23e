#include "graph/ops/layer_norm.h"

#include "backend/gpu/gpu_op.h"

namespace skald {

using namespace gpu;

static void record(const GpuContext& cx, const LayerNorm& a, const GpuOpArgs& io) {
  const int64_t n = io.out.cols() / a.parts;
  const auto step = [&](size_t i) { return io.in[i].cols() == n ? 0 : n; };  // a vector of n belongs to all parts
  LayerNormArgs args{.rows = io.count, .x = matrix(io.in[0]), .out = matrix(io.out)};
  args.weight = io.in[1].as();
  args.weight_step = step(1);
  if (io.in.size() == 3) {
    args.bias = io.in[2].as();
    args.bias_step = step(2);
  }
  args.parts = a.parts;
  args.n = n;
  args.eps = a.eps;
  args.forms = io.made_forms();
  cx.kernels.layer_norm(cx.stream, args, io.rows);
}

extern const GpuOp gpu_layer_norm;
const GpuOp gpu_layer_norm = making_forms<LayerNorm>(implement_on_gpu<LayerNorm, record>(op_layer_norm));

}  // namespace skald
