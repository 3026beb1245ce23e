#include "graph/ops/softmax.h"

#include "graph/checks.h"
#include "graph/cuts.h"

namespace skald {

static ValueDesc infer(const Softmax& a, std::span<const ValueDesc> in) {
  if (in.size() != 2) want_inputs(in, 1);
  want_matrix(in[0]);
  want_parts(in[0], a.parts);
  if (in.size() == 2) want_sink_logits(in[1], a.parts);
  return in[0];
}

static std::optional<CutPlan> cut(const Softmax& a, std::span<const ValueDesc> in, const ValueDesc& out, const Cut& wanted) {
  const std::optional<Cut> parts = cut_of_parts(out, a.parts, wanted);
  if (!parts || a.parts == 1) return {};
  CutPlan plan{{{1, wanted}}, attrs_of_parts(a, &Softmax::parts, *parts)};
  if (in.size() == 2) plan.inputs.push_back({0, *parts});
  return plan;
}

const OpDef op_softmax = with_cuts<Softmax, cut>(define_op<Softmax, infer>("softmax", {.in_place = true, .by_rows = true}));

Tensor softmax(Tensor x) { return x.graph->add(op_softmax, Attrs(Softmax{}), {x}); }

}  // namespace skald
