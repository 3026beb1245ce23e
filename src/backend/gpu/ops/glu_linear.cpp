#include "graph/ops/glu_linear.h"

#include "backend/gpu/gpu_op.h"

namespace skald {

using namespace gpu;

static std::string refuse(const GpuKernels& kernels, const Activate&, std::span<const ValueDesc> in) {
  for (const ValueDesc& w : in.subspan(1))
    if (!kernels.linear[w.format->id]) return fmt::format("no kernel multiplies by weights of type {}", w.format->name);
  return {};
}

// The product with the second weight.
static int64_t scratch(const Activate&, std::span<const ValueDesc>, const ValueDesc& out) { return out.tensor().bytes(); }

static void record(const GpuContext& cx, const Activate& a, const GpuOpArgs& io) {
  const Matrix x = matrix(io.in[0]), gate = matrix(io.out), up{reinterpret_cast<float*>(io.scratch), io.out.cols()};
  const auto multiply = [&](const TensorView& w, const Matrix& out) {
    cx.kernels.linear[w.desc.format->id](cx.stream, {io.count, x, weight_rows(w), out}, io.rows);
  };
  multiply(io.in[1], gate);
  multiply(io.in[2], up);
  const GluArgs args{.rows = io.count, .gate = gate, .up = up, .out = gate, .n = io.out.cols()};
  cx.kernels.glu[static_cast<size_t>(a.function)](cx.stream, args, io.rows);
}

extern const GpuOp gpu_glu_linear;
const GpuOp gpu_glu_linear = implement_on_gpu<Activate, record, refuse, nullptr, scratch>(op_glu_linear);

}  // namespace skald
