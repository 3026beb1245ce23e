#include "graph/ops/mix_experts.h"

#include "backend/cpu/mix_experts.h"

namespace skald {

static int64_t plan(const NoAttrs&, const CpuPlanArgs& args) { return plan_mix_experts(args); }
static void run(CpuContext& cx, const NoAttrs&, const OpArgs& io) { MixExpertsRun(cx, io).run(); }

extern const CpuOp cpu_mix_experts;
const CpuOp cpu_mix_experts = implement<NoAttrs, run, plan>(op_mix_experts);

}  // namespace skald
