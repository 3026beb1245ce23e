#include "graph/ops/activation.h"

#include "backend/gpu/unary.h"

namespace skald {

using namespace gpu;

static void record(const GpuContext& cx, const Activate& a, const GpuOpArgs& io) {
  launch_unary(cx, cx.kernels.activation[static_cast<size_t>(a.function)], io);
}

extern const GpuOp gpu_activation;
const GpuOp gpu_activation = making_forms<Activate>(implement_on_gpu<Activate, record>(op_activation));

}  // namespace skald
