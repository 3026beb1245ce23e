#include "graph/ops/pick_rows.h"

#include "graph/checks.h"
#include "graph/cuts.h"

namespace skald {

static ValueDesc infer(const NoAttrs&, std::span<const ValueDesc> in) {
  want_inputs(in, 2);
  want_matrix(in[0]);
  return {in[0].format, Shape{in[1].shape[0], in[0].shape[1]}, in[1].rows};
}

static Cost cost(const NoAttrs&, std::span<const ValueDesc>, const ValueDesc& out, const StepStats& step) {
  return {.bytes = 2 * step.bytes(out)};
}

const OpDef op_pick_rows =
    with_cuts<NoAttrs, cut_columns_alike<NoAttrs>>(define_op<NoAttrs, infer, nullptr, cost>("pick_rows"));

}  // namespace skald
