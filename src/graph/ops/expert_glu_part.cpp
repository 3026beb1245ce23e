#include "graph/ops/expert_glu_part.h"

namespace skald {

static ValueDesc infer(const ExpertGluPart& a, std::span<const ValueDesc> in) {
  const ValueDesc out = op_expert_glu_linear.infer(Attrs(Activate{a.function}), in);
  want_part(a.part, in[1].shape[0]);
  return out;
}

// Tokens go to all experts alike.
static Cost cost(const ExpertGluPart& a, std::span<const ValueDesc> in, const ValueDesc& out, const StepStats& step) {
  Cost all = op_expert_glu_linear.cost(Attrs(Activate{a.function}), in, out, step);
  all.flops *= static_cast<double>(in[1].shape[0]) / static_cast<double>(a.part.all);
  return all;
}

const OpDef op_expert_glu_part =
    define_op<ExpertGluPart, infer, nullptr, cost>("expert_glu_part", {.by_rows = true, .matmul = true, .factors = 2});

}  // namespace skald
