#include "graph/ops/join_heads.h"

#include "graph/checks.h"
#include "graph/cuts.h"

namespace skald {

std::string JoinHeads::describe() const { return fmt::format("{} heads{}", heads, shared ? ", one for all" : ""); }

static ValueDesc infer(const JoinHeads& a, std::span<const ValueDesc> in) {
  want_inputs(in, 2);
  want_matrix(in[0]);
  want_matrix(in[1]);
  want_rows_of(in[0], in[1], "the second half");
  want_heads(in[0], a.heads);
  if (!a.shared) want_heads(in[1], a.heads);
  return {in[0].format, Shape{in[0].shape[0], in[0].shape[1] + in[1].shape[1] * (a.shared ? a.heads : 1)}, in[0].rows};
}

static Cost cost(const JoinHeads&, std::span<const ValueDesc> in, const ValueDesc& out, const StepStats& step) {
  return {.bytes = step.bytes(in[0]) + step.bytes(in[1]) + step.bytes(out)};
}

static std::optional<CutPlan> cut(const JoinHeads& a, std::span<const ValueDesc> in, const ValueDesc& out,
                                  const Cut& wanted) {
  const std::optional<Cut> heads = cut_of_parts(out, a.heads, wanted);
  if (!heads) return {};
  CutPlan plan{{{1, times(*heads, in[0].shape.back() / a.heads)}}, attrs_of_parts(a, &JoinHeads::heads, *heads)};
  plan.inputs.push_back(a.shared ? CutInput{} : CutInput{1, times(*heads, in[1].shape.back() / a.heads)});
  return plan;
}

const OpDef op_join_heads =
    with_cuts<JoinHeads, cut>(define_op<JoinHeads, infer, nullptr, cost>("join_heads", {.by_rows = true}));

}  // namespace skald
