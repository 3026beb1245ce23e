#include "graph/ops/expert_glu_part.h"

#include "backend/cpu/expert_glu.h"

namespace skald {

static int64_t plan(const ExpertGluPart&, const CpuPlanArgs& args) { return plan_expert_glu(args); }
static void run(CpuContext& cx, const ExpertGluPart& a, const OpArgs& io) {
  ExpertGluRun(cx, a.function, io, a.part.first).run();
}

extern const CpuOp cpu_expert_glu_part;
const CpuOp cpu_expert_glu_part = implement<ExpertGluPart, run, plan>(op_expert_glu_part);

}  // namespace skald
