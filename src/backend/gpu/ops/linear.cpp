#include "graph/ops/linear.h"

#include "backend/gpu/gpu_op.h"

namespace skald {

using namespace gpu;

static std::string refuse(const GpuKernels& kernels, const NoAttrs&, std::span<const ValueDesc> in) {
  for (const ValueDesc& w : in.subspan(1))
    if (!kernels.linear[w.format->id]) return fmt::format("no kernel multiplies by weights of type {}", w.format->name);
  return {};
}

// A launch for each weight: its columns lie beside those of the others.
static void record(const GpuContext& cx, const NoAttrs&, const GpuOpArgs& io) {
  Matrix out = matrix(io.out);
  for (const TensorView& w : io.in.subspan(1)) {
    cx.kernels.linear[w.desc.format->id](cx.stream, {io.count, matrix(io.in[0]), weight_rows(w), out}, io.rows);
    out.data += w.rows();
  }
}

extern const GpuOp gpu_linear;
const GpuOp gpu_linear = implement_on_gpu<NoAttrs, record, refuse>(op_linear);

}  // namespace skald
