#include "graph/ops/mix_experts_part.h"

#include "backend/cpu/mix_experts.h"

namespace skald {

static int64_t plan(const ExpertsPart&, const CpuPlanArgs& args) { return plan_mix_experts(args); }
static void run(CpuContext& cx, const ExpertsPart& a, const OpArgs& io) { MixExpertsRun(cx, io, a.first).run(); }

extern const CpuOp cpu_mix_experts_part;
const CpuOp cpu_mix_experts_part = implement<ExpertsPart, run, plan>(op_mix_experts_part);

}  // namespace skald
