#include "graph/ops/softplus.h"

#include "graph/checks.h"

namespace skald {

static ValueDesc infer(const NoAttrs&, std::span<const ValueDesc> in) {
  want_inputs(in, 1);
  return in[0];
}

const OpDef op_softplus = define_op<NoAttrs, infer>("softplus", {.in_place = true, .by_rows = true});

Tensor softplus(Tensor x) { return x.graph->add(op_softplus, Attrs(NoAttrs{}), {x}); }

}  // namespace skald
