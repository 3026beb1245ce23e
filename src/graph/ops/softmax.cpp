#include "graph/ops/softmax.h"

#include "graph/checks.h"

namespace skald {

static ValueDesc infer(const Softmax& a, std::span<const ValueDesc> in) {
  if (in.size() != 2) want_inputs(in, 1);
  want_matrix(in[0]);
  if (a.parts <= 0 || in[0].shape[1] % a.parts)
    fail(Errc::kBadInput, "rows of {} do not divide into {} parts", in[0].shape[1], a.parts);
  if (in.size() == 2) want_sink_logits(in[1], a.parts);
  return in[0];
}

const OpDef op_softmax = define_op<Softmax, infer>("softmax", {.in_place = true});

Tensor softmax(Tensor x) { return x.graph->add(op_softmax, Attrs(Softmax{}), {x}); }

}  // namespace skald
