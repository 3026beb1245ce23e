#include "graph/ops/head_columns.h"

#include "backend/gpu/gpu_op.h"

namespace skald {

using namespace gpu;

static std::string refuse(const GpuKernels&, const HeadColumns&, std::span<const ValueDesc> in) {
  return refuse_other_words(in[0], "cuts heads");
}

static void record(const GpuContext& cx, const HeadColumns& a, const GpuOpArgs& io) {
  HeadColumnsArgs args{.rows = io.count, .x = matrix(io.in[0]), .out = matrix(io.out)};
  args.heads = a.heads;
  args.d_head = io.in[0].cols() / a.heads;
  args.first = a.first;
  args.n = a.n;
  cx.kernels.head_columns(cx.stream, args, io.rows);
}

extern const GpuOp gpu_head_columns;
const GpuOp gpu_head_columns = implement_on_gpu<HeadColumns, record, refuse>(op_head_columns);

}  // namespace skald
