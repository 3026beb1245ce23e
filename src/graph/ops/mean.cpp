#include "graph/ops/mean.h"

#include "graph/checks.h"
#include "graph/cuts.h"

namespace skald {

static ValueDesc infer(const Mean& a, std::span<const ValueDesc> in) {
  want_inputs(in, 1);
  want_matrix(in[0]);
  want_parts(in[0], a.parts);
  ValueDesc out = in[0];
  out.shape[1] = a.parts;
  return out;
}

static std::optional<CutPlan> cut(const Mean& a, std::span<const ValueDesc> in, const ValueDesc&, const Cut& wanted) {
  if (a.parts == 1) return {};
  return CutPlan{{{1, times(wanted, in[0].shape.back() / a.parts)}}, attrs_of_parts(a, &Mean::parts, wanted)};
}

const OpDef op_mean = with_cuts<Mean, cut>(define_op<Mean, infer>("mean", {.by_rows = true}));

Tensor mean(Tensor x, int64_t parts) { return x.graph->add(op_mean, Attrs(Mean{parts}), {x}); }

}  // namespace skald
