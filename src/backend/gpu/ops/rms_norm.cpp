#include "graph/ops/rms_norm.h"

#include "backend/gpu/gpu_op.h"

namespace skald {

using namespace gpu;

static void record(const GpuContext& cx, const RmsNorm& a, const GpuOpArgs& io) {
  const int64_t n = io.out.cols() / a.parts;
  cx.kernels.rms_norm(cx.stream,
                      {.rows = io.count,
                       .x = matrix(io.in[0]),
                       .out = matrix(io.out),
                       .weight = io.in[1].as(),
                       .parts = a.parts,
                       .n = n,
                       .weight_step = io.in[1].cols() == n ? 0 : n,
                       .eps = a.eps,
                       .forms = io.made_forms()},
                      io.rows);
}

extern const GpuOp gpu_rms_norm;
const GpuOp gpu_rms_norm = making_forms<RmsNorm>(implement_on_gpu<RmsNorm, record>(op_rms_norm));

}  // namespace skald
