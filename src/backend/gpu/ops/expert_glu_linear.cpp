#include "graph/ops/expert_glu_linear.h"

#include "backend/gpu/expert_products.h"
#include "base/checked.h"
#include "graph/expert_inputs.h"

namespace skald {

using namespace gpu;

static std::string refuse(const GpuKernels& kernels, const Activate&, std::span<const ValueDesc> in) {
  return refuse_expert_products(kernels, in.subspan(1, 2));
}

// The products with the second weight, before what products need.
static int64_t product_bytes(const TensorDesc& out) { return round_up(out.bytes(), 64); }

static int64_t scratch(const Activate&, std::span<const ValueDesc> in, const ValueDesc& out) {
  return product_bytes(out.tensor()) + expert_products_scratch(in[3], in[1].shape[0]);
}

static void record(const GpuContext& cx, const Activate& a, const GpuOpArgs& io) {
  const ExpertInputs more = expert_inputs(io.in, 4, 2);
  const Matrix gate = matrix(io.out), up{reinterpret_cast<float*>(io.scratch), io.out.cols()};
  ExpertProducts products(cx, io, io.in[0], io.in[3], 1, io.in[1].shape()[0], io.scratch + product_bytes(io.out.desc));
  const Product both[] = {expert_product(io, 1, more.bias, more.scale, gate),
                          expert_product(io, 2, more.bias ? more.bias + 1 : 0, more.scale ? more.scale + 1 : 0, up)};
  products.multiply(both);
  const GluArgs args{.rows = io.count, .gate = gate, .up = up, .out = gate, .n = io.out.cols()};
  cx.kernels.glu[static_cast<size_t>(a.function)](cx.stream, args, io.rows);
}

extern const GpuOp gpu_expert_glu_linear;
const GpuOp gpu_expert_glu_linear =
    in_fragments(implement_on_gpu<Activate, record, refuse, nullptr, scratch>(op_expert_glu_linear));

}  // namespace skald
