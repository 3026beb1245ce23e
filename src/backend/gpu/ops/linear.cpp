#include "graph/ops/linear.h"

#include "backend/gpu/products.h"

namespace skald {

using namespace gpu;

static std::string refuse(const GpuKernels& kernels, const NoAttrs&, std::span<const ValueDesc> in) {
  return refuse_products(kernels, in.subspan(1));
}

static void record(const GpuContext& cx, const NoAttrs&, const GpuOpArgs& io) {
  Products(cx, io, io.in[0]).multiply(side_by_side(io.in.subspan(1), matrix(io.out)));
}

extern const GpuOp gpu_linear;
const GpuOp gpu_linear = in_fragments(implement_on_gpu<NoAttrs, record, refuse>(op_linear));

}  // namespace skald
