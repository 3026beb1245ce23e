#include "graph/ops/rsqrt.h"

#include "graph/checks.h"

namespace skald {

static ValueDesc infer(const Rsqrt&, std::span<const ValueDesc> in) {
  want_inputs(in, 1);
  return in[0];
}

const OpDef op_rsqrt = define_op<Rsqrt, infer>("rsqrt", {.in_place = true, .by_rows = true});

Tensor rsqrt(Tensor x, float eps) { return x.graph->add(op_rsqrt, Attrs(Rsqrt{eps}), {x}); }

}  // namespace skald
