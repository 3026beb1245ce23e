#include "graph/ops/head_linear.h"

#include "backend/gpu/experts.h"

namespace skald {

using namespace gpu;

static std::string refuse(const GpuKernels& kernels, const NoAttrs&, std::span<const ValueDesc> in) {
  return refuse_formats(kernels.head_linear, in.subspan(1, 1), "multiplies heads by weights");
}

static void record(const GpuContext& cx, const NoAttrs&, const GpuOpArgs& io) {
  HeadLinearArgs args{.rows = io.count, .x = matrix(io.in[0]), .weight = rows_of_one(io.in[1])};
  args.heads = io.in[1].shape()[0];
  args.out = matrix(io.out);
  cx.kernels.head_linear[io.in[1].desc.format->id](cx.stream, args, io.rows);
}

extern const GpuOp gpu_head_linear;
const GpuOp gpu_head_linear = implement_on_gpu<NoAttrs, record, refuse>(op_head_linear);

}  // namespace skald
