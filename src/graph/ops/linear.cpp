#include "graph/ops/linear.h"

#include "graph/checks.h"

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

const OpDef op_linear = define_op<NoAttrs, infer, nullptr, cost>("linear", {.by_rows = true, .matmul = true});

}  // namespace skald
