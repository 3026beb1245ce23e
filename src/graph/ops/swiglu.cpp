#include "graph/ops/swiglu.h"

#include "graph/checks.h"
#include "graph/ops/silu.h"

namespace skald {

static ValueDesc infer(const NoAttrs&, std::span<const ValueDesc> in) {
  want_inputs(in, 2);
  want_cols(in[1], in[0].shape.back(), "up");
  return in[0];
}

static Tensor expand(Graph&, const NoAttrs&, std::span<const Tensor> in) { return silu(in[0]) * in[1]; }

const OpDef op_swiglu = define_op<NoAttrs, infer, expand>("swiglu", {.in_place = true});

Tensor swiglu(Tensor gate, Tensor up) { return gate.graph->add(op_swiglu, Attrs(NoAttrs{}), {gate, up}); }

}  // namespace skald
