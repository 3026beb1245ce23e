#include "graph/ops/expert_glu_linear.h"

#include "graph/cuts.h"

#include "graph/expert_inputs.h"

namespace skald {

static ValueDesc infer(const Activate&, std::span<const ValueDesc> in) {
  want_at_least(in, 4);
  want_matrix(in[0]);
  for (const ValueDesc& weight : in.subspan(1, 2)) {
    want_matrices(weight, "experts");
    want_cols(weight, in[0].shape[1], "weight");
  }
  if (in[2].shape != in[1].shape)
    fail(Errc::kBadInput, "up: want {} as of gate, got {}", in[1].shape.to_string(), in[2].shape.to_string());
  want_matrix(in[3]);
  want_rows_of(in[0], in[3], "ids");
  want_expert_inputs(in, 4, 2, in[1]);
  return {&format_f32, Shape{in[0].shape[0], in[3].shape[1] * in[1].shape[1]}, in[0].rows};
}

static Cost cost(const Activate&, std::span<const ValueDesc> in, const ValueDesc& out, const StepStats& step) {
  const double share = step.share_of_experts(in[1].shape[0], in[3].shape[1]);
  Cost cost{.bytes = step.bytes(in[0]) + step.bytes(in[3]) + step.bytes(out)};
  for (size_t i = 1; i < in.size(); ++i)
    if (i != 3) cost.bytes += share * step.bytes(in[i]);
  cost.flops = (4 * static_cast<double>(in[1].shape[2]) + 1) * step.elements(out);
  return cost;
}

// The same columns of each of a token's experts.
static std::optional<CutPlan> cut(const Activate&, std::span<const ValueDesc> in, const ValueDesc&, const Cut& wanted) {
  const int64_t n = in[1].shape[1], experts = in[3].shape[1];
  const Cut inner = wanted.map([&](const Slices& parts) { return inside(parts, {0, n}); });
  if (wanted != repeated(inner, n, experts)) return {};
  CutPlan plan{{{}, {1, inner}, {1, inner}, {}}};
  for (const ValueDesc& d : in.subspan(4)) plan.inputs.push_back(d.shape.rank() == 2 ? CutInput{1, inner} : CutInput{});
  return plan;
}

const OpDef op_expert_glu_linear = with_cuts<Activate, cut>(
    define_op<Activate, infer, nullptr, cost>("expert_glu_linear", {.by_rows = true, .matmul = true, .factors = 2}));

}  // namespace skald
