#include "graph/ops/glu_linear.h"

#include "graph/checks.h"
#include "graph/cuts.h"
#include "graph/ops/glu.h"
#include "graph/ops/linear.h"

namespace skald {

static ValueDesc infer(const Activate&, std::span<const ValueDesc> in) {
  want_inputs(in, 3);
  want_matrix(in[0]);
  for (const ValueDesc& weight : in.subspan(1)) {
    want_matrix(weight);
    want_cols(weight, in[0].shape[1], "weight");
  }
  if (in[2].shape != in[1].shape)
    fail(Errc::kBadInput, "up: want {} as of gate, got {}", in[1].shape.to_string(), in[2].shape.to_string());
  return {&format_f32, Shape{in[0].shape[0], in[1].shape[0]}, in[0].rows};
}

static Tensor expand(Graph& g, const Activate& a, std::span<const Tensor> in) {
  const Attrs linear(NoAttrs{});
  return glu(g.add(op_linear, linear, {in[0], in[1]}), g.add(op_linear, linear, {in[0], in[2]}), a.function);
}

static Cost cost(const Activate&, std::span<const ValueDesc> in, const ValueDesc& out, const StepStats& step) {
  Cost cost{.bytes = step.bytes(in[0]) + step.bytes(out) + step.bytes(in[1]) + step.bytes(in[2])};
  cost.flops = (4 * static_cast<double>(in[1].shape[1]) + 1) * step.elements(out);
  return cost;
}

static std::optional<CutPlan> cut(const Activate&, std::span<const ValueDesc>, const ValueDesc&, const Cut& wanted) {
  return CutPlan{{{}, {0, wanted}, {0, wanted}}};
}

const OpDef op_glu_linear =
    with_cuts<Activate, cut>(define_op<Activate, infer, expand, cost>("glu_linear", {.by_rows = true, .matmul = true}));

}  // namespace skald
