#include "graph/ops/linear.h"

#include "graph/checks.h"
#include "graph/cuts.h"

namespace skald {

static ValueDesc infer(const NoAttrs&, std::span<const ValueDesc> in) {
  want_at_least(in, 2);
  want_matrix(in[0]);
  int64_t n = 0;
  for (const ValueDesc& weight : in.subspan(1)) {
    want_matrix(weight);
    want_cols(weight, in[0].shape[1], "weight");
    n += weight.shape[0];
  }
  return {&format_f32, Shape{in[0].shape[0], n}, in[0].rows};
}

static Cost cost(const NoAttrs&, std::span<const ValueDesc> in, const ValueDesc& out, const StepStats& step) {
  Cost cost{.bytes = step.bytes(in[0]) + step.bytes(out)};
  for (const ValueDesc& weight : in.subspan(1)) cost.bytes += step.bytes(weight);
  cost.flops = 2 * step.elements(out) * static_cast<double>(in[1].shape[1]);
  return cost;
}

// Each weight has rows for some of the columns.
static std::optional<CutPlan> cut(const NoAttrs&, std::span<const ValueDesc> in, const ValueDesc&, const Cut& wanted) {
  CutPlan plan{{{}}};
  int64_t first = 0;
  for (const ValueDesc& weight : in.subspan(1)) {
    const Slice own{first, weight.shape[0]};
    plan.inputs.push_back({0, wanted.map([&](const Slices& parts) { return inside(parts, own); })});
    first = own.end();
  }
  return plan;
}

static std::optional<CutPlan> addends(const NoAttrs&, std::span<const ValueDesc> in, const ValueDesc&, const Cut& first) {
  CutPlan plan;
  for (const ValueDesc& d : in) {
    if (d.rows == Rows::kFixed && !can_cut_blocks(*d.format, first)) return {};
    plan.inputs.push_back({1, first});
  }
  return plan;
}

const OpDef op_linear =
    with_cuts<NoAttrs, cut, addends>(define_op<NoAttrs, infer, nullptr, cost>("linear", {.by_rows = true, .matmul = true}));

}  // namespace skald
