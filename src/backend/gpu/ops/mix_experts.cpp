#include "graph/ops/mix_experts.h"

#include "backend/gpu/experts.h"
#include "graph/expert_inputs.h"

namespace skald {

using namespace gpu;

static std::string refuse(const GpuKernels& kernels, const NoAttrs&, std::span<const ValueDesc> in) {
  return refuse_formats(kernels.mix_experts, in.subspan(1, 1), "multiplies by experts");
}

static void record(const GpuContext& cx, const NoAttrs&, const GpuOpArgs& io) {
  const ExpertInputs more = expert_inputs(io.in, 4, 1);
  MixExpertsArgs args{.rows = io.count, .x = matrix(io.in[0])};
  args.weights = expert_weights(io, 1, more.bias, more.scale);
  args.choice = expert_choice(io.in[2]);
  args.shares = matrix(io.in[3]);
  args.out = matrix(io.out);
  cx.kernels.mix_experts[io.in[1].desc.format->id](cx.stream, args, io.rows);
}

extern const GpuOp gpu_mix_experts;
const GpuOp gpu_mix_experts = implement_on_gpu<NoAttrs, record, refuse>(op_mix_experts);

}  // namespace skald
