#include "graph/ops/xielu.h"

#include "backend/gpu/unary.h"

namespace skald {

using namespace gpu;

static void record(const GpuContext& cx, const Xielu& a, const GpuOpArgs& io) {
  launch_unary(cx, cx.kernels.xielu, io, {a.alpha_p, a.alpha_n, a.beta, a.eps});
}

extern const GpuOp gpu_xielu;
const GpuOp gpu_xielu = making_forms<Xielu>(implement_on_gpu<Xielu, record>(op_xielu));

}  // namespace skald
