#include "graph/ops/mean.h"

#include "graph/checks.h"

namespace skald {

static ValueDesc infer(const NoAttrs&, std::span<const ValueDesc> in) {
  want_inputs(in, 1);
  want_matrix(in[0]);
  ValueDesc out = in[0];
  out.shape[1] = 1;
  return out;
}

const OpDef op_mean = define_op<NoAttrs, infer>("mean");

Tensor mean(Tensor x) { return x.graph->add(op_mean, Attrs(NoAttrs{}), {x}); }

}  // namespace skald
