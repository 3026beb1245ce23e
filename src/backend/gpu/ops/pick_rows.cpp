#include "graph/ops/pick_rows.h"

#include "backend/gpu/gpu_op.h"

namespace skald {

using namespace gpu;

static std::string refuse(const GpuKernels&, const NoAttrs&, std::span<const ValueDesc> in) {
  return refuse_other_words(in[0], "picks rows");
}

static void record(const GpuContext& cx, const NoAttrs&, const GpuOpArgs& io) {
  const PickRowsArgs args{
      .rows = io.count, .x = matrix(io.in[0]), .out = matrix(io.out), .numbers = io.in[1].as<int32_t>(), .n = io.out.cols()};
  cx.kernels.pick_rows(cx.stream, args, io.rows);
}

extern const GpuOp gpu_pick_rows;
const GpuOp gpu_pick_rows = implement_on_gpu<NoAttrs, record, refuse>(op_pick_rows);

}  // namespace skald
