#include "graph/ops/choose_experts.h"

#include "backend/gpu/gpu_op.h"
#include "kernels/gpu/choose_experts.h"

namespace skald {

using namespace gpu;

static std::string refuse(const GpuKernels&, const ChooseExperts& a, std::span<const ValueDesc>) {
  if (a.groups <= kMaxExpertGroups) return {};
  return fmt::format("no kernel chooses from {} groups of experts: at most {}", a.groups, kMaxExpertGroups);
}

static void record(const GpuContext& cx, const ChooseExperts& a, const GpuOpArgs& io) {
  ChooseExpertsArgs args{.rows = io.count, .scores = matrix(io.in[0])};
  if (io.in.size() == 2) args.added = io.in[1].as();
  args.ids = io.out.as<int32_t>();
  args.ids_step = io.out.row_step<int32_t>();
  args.experts = io.in[0].cols();
  args.k = a.k;
  args.groups = a.groups;
  args.groups_used = a.groups_used;
  args.group_best = a.group_best;
  cx.kernels.choose_experts(cx.stream, args, io.rows);
}

extern const GpuOp gpu_choose_experts;
const GpuOp gpu_choose_experts = implement_on_gpu<ChooseExperts, record, refuse>(op_choose_experts);

}  // namespace skald
