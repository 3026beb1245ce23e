#include "graph/ops/swiglu_linear.h"

#include "graph/checks.h"
#include "graph/ops/swiglu.h"

namespace skald {

static ValueDesc infer(const Linear&, std::span<const ValueDesc> in) {
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

static Tensor expand(Graph& g, const Linear& a, std::span<const Tensor> in) {
  return swiglu(g.add(op_linear, Attrs(a), {in[0], in[1]}), g.add(op_linear, Attrs(a), {in[0], in[2]}));
}

static Cost cost(const Linear&, std::span<const ValueDesc> in, const ValueDesc& out, const StepStats& step) {
  Cost cost{.bytes = step.bytes(in[0]) + step.bytes(out) + step.bytes(in[1]) + step.bytes(in[2])};
  cost.flops = (4 * static_cast<double>(in[1].shape[1]) + 1) * step.elements(out);
  return cost;
}

const OpDef op_swiglu_linear = define_op<Linear, infer, expand, cost>("swiglu_linear", {.matmul = true});

}  // namespace skald
