#include "graph/ops/mix_experts.h"

#include "graph/cuts.h"

#include "graph/expert_inputs.h"

namespace skald {

static ValueDesc infer(const NoAttrs&, std::span<const ValueDesc> in) {
  want_at_least(in, 4);
  want_matrix(in[0]);
  want_matrix(in[2]);
  want_rows_of(in[0], in[2], "ids");
  want_rows_of(in[0], in[3], "weights");
  want_cols(in[3], in[2].shape[1], "weights");
  const int64_t k = in[2].shape[1];
  if (in[0].shape[1] % k) fail(Errc::kBadInput, "rows of {} do not divide over {} experts", in[0].shape[1], k);
  want_matrices(in[1], "experts");
  want_cols(in[1], in[0].shape[1] / k, "weight");
  want_expert_inputs(in, 4, 1, in[1]);
  return {&format_f32, Shape{in[0].shape[0], in[1].shape[1]}, in[0].rows};
}

static Cost cost(const NoAttrs&, std::span<const ValueDesc> in, const ValueDesc& out, const StepStats& step) {
  const double share = step.share_of_experts(in[1].shape[0], in[2].shape[1]);
  Cost cost{.bytes = step.bytes(in[0]) + step.bytes(in[2]) + step.bytes(in[3]) + step.bytes(out)};
  cost.bytes += share * step.bytes(in[1]);
  for (const ValueDesc& d : in.subspan(4)) cost.bytes += share * step.bytes(d);
  cost.flops = 2 * step.elements(in[0]) * static_cast<double>(out.shape[1]);
  return cost;
}

static std::optional<CutPlan> cut(const NoAttrs&, std::span<const ValueDesc> in, const ValueDesc&, const Cut& wanted) {
  CutPlan plan{{{}, {1, wanted}, {}, {}}};
  for (const ValueDesc& d : in.subspan(4)) plan.inputs.push_back(d.shape.rank() == 2 ? CutInput{1, wanted} : CutInput{});
  return plan;
}

// The same columns of each of a token's experts. The first rank adds the bias.
static std::optional<CutPlan> addends(const NoAttrs&, std::span<const ValueDesc> in, const ValueDesc&, const Cut& first) {
  const int64_t n = in[1].shape[2];
  const Cut inner = first.map([n](const Slices& parts) { return inside(parts, {0, n}); });
  if (first != repeated(inner, n, in[2].shape[1]) || !can_cut_blocks(*in[1].format, inner)) return {};
  CutPlan plan{{{1, first}, {2, inner}, {}, {}}};
  for (const ValueDesc& d : in.subspan(4)) {
    Cut of_first;
    of_first.of_rank.resize(first.ranks());
    of_first.of_rank.front() = {{0, d.shape[0]}};
    plan.inputs.push_back(d.shape.rank() == 2 ? CutInput{0, of_first} : CutInput{});
  }
  return plan;
}

const OpDef op_mix_experts = with_cuts<NoAttrs, cut, addends>(
    define_op<NoAttrs, infer, nullptr, cost>("mix_experts", {.by_rows = true, .matmul = true, .factors = 1}));

}  // namespace skald
