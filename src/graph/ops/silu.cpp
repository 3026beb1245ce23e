#include "graph/ops/silu.h"

#include "graph/checks.h"

namespace skald {

static ValueDesc infer(const NoAttrs&, std::span<const ValueDesc> in) {
  want_inputs(in, 1);
  return in[0];
}

const OpDef op_silu = define_op<NoAttrs, infer>("silu", {.in_place = true});

Tensor silu(Tensor x) { return x.graph->add(op_silu, Attrs(NoAttrs{}), {x}); }

}  // namespace skald
