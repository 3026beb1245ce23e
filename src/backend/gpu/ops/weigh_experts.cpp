#include "graph/ops/weigh_experts.h"

#include "backend/gpu/experts.h"

namespace skald {

using namespace gpu;

static void record(const GpuContext& cx, const WeighExperts& a, const GpuOpArgs& io) {
  WeighExpertsArgs args{.rows = io.count, .scores = matrix(io.in[0])};
  args.choice = expert_choice(io.in[1]);
  args.out = matrix(io.out);
  args.scale = a.scale;
  args.softmax = a.softmax;
  args.normalise = a.normalise;
  cx.kernels.weigh_experts(cx.stream, args, io.rows);
}

extern const GpuOp gpu_weigh_experts;
const GpuOp gpu_weigh_experts = implement_on_gpu<WeighExperts, record>(op_weigh_experts);

}  // namespace skald
