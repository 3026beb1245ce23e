#include "graph/ops/swiglu.h"

#include "graph/checks.h"
#include "graph/ops/silu.h"

namespace skald {

static ValueDesc infer(const NoAttrs&, std::span<const ValueDesc> in) {
  want_inputs(in, 2);
  if (in[1].shape != in[0].shape || in[1].rows != in[0].rows)
    fail(Errc::kBadInput, "up: want {} as of gate, got {}", in[0].shape.to_string(), in[1].shape.to_string());
  return in[0];
}

static Tensor expand(Graph&, const NoAttrs&, std::span<const Tensor> in) { return silu(in[0]) * in[1]; }

const OpDef op_swiglu = define_op<NoAttrs, infer, expand>("swiglu", {.in_place = true});

Tensor swiglu(Tensor gate, Tensor up) { return gate.graph->add(op_swiglu, Attrs(NoAttrs{}), {gate, up}); }

}  // namespace skald
