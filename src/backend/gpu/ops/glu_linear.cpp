#include "graph/ops/glu_linear.h"

#include "backend/gpu/products.h"

namespace skald {

using namespace gpu;

static std::string refuse(const GpuKernels& kernels, const Activate&, std::span<const ValueDesc> in) {
  return refuse_products(kernels, in.subspan(1));
}

// The product with the second weight.
static int64_t scratch(const Activate&, std::span<const ValueDesc>, const ValueDesc& out) { return out.tensor().bytes(); }

static void record(const GpuContext& cx, const Activate& a, const GpuOpArgs& io) {
  const Matrix gate = matrix(io.out), up{reinterpret_cast<float*>(io.scratch), io.out.cols()};
  const Product products[] = {{io.in[1], gate}, {io.in[2], up}};
  Products(cx, io, io.in[0]).multiply(products);
  GluArgs args{.rows = io.count, .gate = gate, .up = up, .out = gate, .n = io.out.cols()};
  args.forms = io.made_forms();
  cx.kernels.glu[static_cast<size_t>(a.function)](cx.stream, args, io.rows);
}

extern const GpuOp gpu_glu_linear;
const GpuOp gpu_glu_linear =
    making_forms<Activate>(in_fragments(implement_on_gpu<Activate, record, refuse, nullptr, scratch>(op_glu_linear)));

}  // namespace skald
