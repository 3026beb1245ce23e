#include "graph/ops/expert_glu_linear.h"

#include "backend/gpu/experts.h"
#include "graph/expert_inputs.h"

namespace skald {

using namespace gpu;

static std::string refuse(const GpuKernels& kernels, const Activate&, std::span<const ValueDesc> in) {
  return refuse_formats(kernels.expert_linear, in.subspan(1, 2), "multiplies by experts");
}

// The gates go to the output, where the other products meet them.
static void record(const GpuContext& cx, const Activate& a, const GpuOpArgs& io) {
  const ExpertInputs more = expert_inputs(io.in, 4, 2);
  ExpertLinearArgs args{.rows = io.count, .x = matrix(io.in[0])};
  args.choice = expert_choice(io.in[3]);
  args.out = matrix(io.out);
  args.function = a.function;
  for (const size_t i : {0, 1}) {
    const TensorView& weight = io.in[1 + i];
    args.weights = expert_weights(io, 1 + i, more.bias ? more.bias + i : 0, more.scale ? more.scale + i : 0);
    args.combines = i == 1;
    cx.kernels.expert_linear[weight.desc.format->id](cx.stream, args, io.rows);
  }
}

extern const GpuOp gpu_expert_glu_linear;
const GpuOp gpu_expert_glu_linear = implement_on_gpu<Activate, record, refuse>(op_expert_glu_linear);

}  // namespace skald
