#include "graph/ops/glu.h"

#include "graph/checks.h"
#include "graph/cuts.h"

namespace skald {

static ValueDesc infer(const Activate&, std::span<const ValueDesc> in) {
  want_inputs(in, 2);
  if (in[1].shape != in[0].shape || in[1].rows != in[0].rows)
    fail(Errc::kBadInput, "up: want {} as of gate, got {}", in[0].shape.to_string(), in[1].shape.to_string());
  return in[0];
}

static Tensor expand(Graph&, const Activate& a, std::span<const Tensor> in) {
  const bool clamped = a.function == Activation::kClampedSilu;
  return activation(in[0], a.function) * (clamped ? activation(in[1], Activation::kClampedLinear) : in[1]);
}

const OpDef op_glu = with_cuts<Activate, cut_columns_alike<Activate>>(
    define_op<Activate, infer, expand>("glu", {.in_place = true, .by_rows = true}));

Tensor glu(Tensor gate, Tensor up, Activation function) {
  return gate.graph->add(op_glu, Attrs(Activate{function}), {gate, up});
}

}  // namespace skald
