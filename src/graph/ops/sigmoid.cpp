#include "graph/ops/sigmoid.h"

#include "graph/checks.h"

namespace skald {

static ValueDesc infer(const NoAttrs&, std::span<const ValueDesc> in) {
  want_inputs(in, 1);
  return in[0];
}

const OpDef op_sigmoid = define_op<NoAttrs, infer>("sigmoid", {.in_place = true, .by_rows = true});

Tensor sigmoid(Tensor x) { return x.graph->add(op_sigmoid, Attrs(NoAttrs{}), {x}); }

}  // namespace skald
