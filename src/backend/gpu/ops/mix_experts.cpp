#include "graph/ops/mix_experts.h"

#include "backend/gpu/expert_products.h"
#include "base/checked.h"
#include "graph/expert_inputs.h"

namespace skald {

using namespace gpu;

static std::string refuse(const GpuKernels& kernels, const NoAttrs&, std::span<const ValueDesc> in) {
  return refuse_expert_products(kernels, in.subspan(1, 1));
}

// All choices' products, before what products need.
static int64_t product_bytes(const TensorDesc& out, int64_t choices) { return round_up(out.bytes() * choices, 64); }

static int64_t scratch(const NoAttrs&, std::span<const ValueDesc> in, const ValueDesc& out) {
  const int64_t choices = in[2].shape[1];
  return product_bytes(out.tensor(), choices) + expert_products_scratch(in[2], in[1].shape[0]);
}

static void record(const GpuContext& cx, const NoAttrs&, const GpuOpArgs& io) {
  const ExpertInputs more = expert_inputs(io.in, 4, 1);
  const int64_t n = io.out.cols(), choices = io.in[2].cols();
  const Matrix each{reinterpret_cast<float*>(io.scratch), n * choices};
  ExpertProducts products(cx, io, io.in[0], io.in[2], choices, io.in[1].shape()[0],
                          io.scratch + product_bytes(io.out.desc, choices));
  const Product one[] = {expert_product(io, 1, more.bias, more.scale, each)};
  products.multiply(one);
  MixExpertsArgs args{.rows = io.count, .x = each, .choice = products.choice(), .shares = matrix(io.in[3])};
  args.out = matrix(io.out);
  args.n = n;
  cx.kernels.mix_experts(cx.stream, args, io.rows);
}

extern const GpuOp gpu_mix_experts;
const GpuOp gpu_mix_experts = in_fragments(implement_on_gpu<NoAttrs, record, refuse, nullptr, scratch>(op_mix_experts));

}  // namespace skald
