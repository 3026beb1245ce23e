#include "graph/ops/mix_experts_part.h"

namespace skald {

static ValueDesc infer(const ExpertsPart& a, std::span<const ValueDesc> in) {
  const ValueDesc out = op_mix_experts.infer(Attrs(NoAttrs{}), in);
  want_part(a, in[1].shape[0]);
  return out;
}

static Cost cost(const ExpertsPart& a, std::span<const ValueDesc> in, const ValueDesc& out, const StepStats& step) {
  Cost all = op_mix_experts.cost(Attrs(NoAttrs{}), in, out, step);
  all.flops *= static_cast<double>(in[1].shape[0]) / static_cast<double>(a.all);
  return all;
}

const OpDef op_mix_experts_part =
    define_op<ExpertsPart, infer, nullptr, cost>("mix_experts_part", {.by_rows = true, .matmul = true, .factors = 1});

}  // namespace skald
