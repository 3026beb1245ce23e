#include "graph/ops/activation.h"

#include "backend/gpu/gpu_op.h"

namespace skald {

using namespace gpu;

static void record(const GpuContext& cx, const Activate& a, const GpuOpArgs& io) {
  const ElementwiseArgs args{.rows = io.count, .a = matrix(io.in[0]), .b = {}, .out = matrix(io.out), .n = io.out.cols()};
  cx.kernels.activation[static_cast<size_t>(a.function)](cx.stream, args, io.rows);
}

extern const GpuOp gpu_activation;
const GpuOp gpu_activation = implement_on_gpu<Activate, record>(op_activation);

}  // namespace skald
