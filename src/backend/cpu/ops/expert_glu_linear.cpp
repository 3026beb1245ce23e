#include "graph/ops/expert_glu_linear.h"

#include "backend/cpu/expert_glu.h"

namespace skald {

static int64_t plan(const Activate&, const CpuPlanArgs& args) { return plan_expert_glu(args); }
static void run(CpuContext& cx, const Activate& a, const OpArgs& io) { ExpertGluRun(cx, a.function, io).run(); }

extern const CpuOp cpu_expert_glu_linear;
const CpuOp cpu_expert_glu_linear = implement<Activate, run, plan>(op_expert_glu_linear);

}  // namespace skald
