#include "graph/ops/softmax.h"

#include "graph/checks.h"

namespace skald {

static ValueDesc infer(const Softmax& a, std::span<const ValueDesc> in) {
  if (in.size() != 2) want_inputs(in, 1);
  want_matrix(in[0]);
  want_parts(in[0], a.parts);
  if (in.size() == 2) want_sink_logits(in[1], a.parts);
  return in[0];
}

const OpDef op_softmax = define_op<Softmax, infer>("softmax", {.in_place = true, .by_rows = true});

Tensor softmax(Tensor x) { return x.graph->add(op_softmax, Attrs(Softmax{}), {x}); }

}  // namespace skald
