#include "graph/ops/linear.h"

#include "backend/gpu/products.h"

namespace skald {

using namespace gpu;

static std::string refuse(const GpuKernels& kernels, const NoAttrs&, std::span<const ValueDesc> in) {
  return refuse_products(kernels, in.subspan(1));
}

// A weight's columns lie beside those of the others.
static void record(const GpuContext& cx, const NoAttrs&, const GpuOpArgs& io) {
  std::vector<Product> products;
  Matrix out = matrix(io.out), added = io.added;
  for (const TensorView& w : io.in.subspan(1)) {
    products.push_back({w, out, added});
    out.data += w.rows();
    if (added.data) added.data += w.rows();
  }
  Products(cx, io, io.in[0]).multiply(products);
}

extern const GpuOp gpu_linear;
const GpuOp gpu_linear = in_fragments(implement_on_gpu<NoAttrs, record, refuse>(op_linear));

}  // namespace skald
