#include "graph/ops/head_linear.h"

#include "graph/checks.h"
#include "graph/cuts.h"

namespace skald {

static ValueDesc infer(const NoAttrs&, std::span<const ValueDesc> in) {
  want_inputs(in, 2);
  want_matrix(in[0]);
  want_matrices(in[1], "heads");
  const int64_t heads = in[1].shape[0];
  want_heads(in[0], heads);
  want_cols(in[1], in[0].shape[1] / heads, "weight");
  return {&format_f32, Shape{in[0].shape[0], heads * in[1].shape[1]}, in[0].rows};
}

static Cost cost(const NoAttrs&, std::span<const ValueDesc> in, const ValueDesc& out, const StepStats& step) {
  Cost cost{.bytes = step.bytes(in[0]) + step.bytes(out) + step.bytes(in[1])};
  cost.flops = 2 * step.elements(out) * static_cast<double>(in[1].shape[2]);
  return cost;
}

static std::optional<CutPlan> cut(const NoAttrs&, std::span<const ValueDesc> in, const ValueDesc& out, const Cut& wanted) {
  const std::optional<Cut> heads = cut_of_parts(out, in[1].shape[0], wanted);
  if (!heads) return {};
  return CutPlan{{{1, times(*heads, in[1].shape[2])}, {0, *heads}}};
}

const OpDef op_head_linear =
    with_cuts<NoAttrs, cut>(define_op<NoAttrs, infer, nullptr, cost>("head_linear", {.by_rows = true, .matmul = true}));

}  // namespace skald
