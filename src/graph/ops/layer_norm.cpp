#include "graph/ops/layer_norm.h"

#include "graph/checks.h"
#include "graph/cuts.h"
#include "graph/ops/elementwise.h"
#include "graph/ops/mean.h"
#include "graph/ops/rms_norm.h"

namespace skald {

std::string LayerNorm::describe() const { return RmsNorm{eps, parts}.describe(); }

static ValueDesc infer(const LayerNorm& a, std::span<const ValueDesc> in) {
  if (in.size() != 3) want_inputs(in, 2);
  want_parts(in[0], a.parts);
  want_part_weight(in[0], a.parts, in[1], "weight");
  if (in.size() == 3) want_part_weight(in[0], a.parts, in[2], "bias");
  return in[0];
}

static Tensor expand(Graph&, const LayerNorm& a, std::span<const Tensor> in) {
  const Tensor x = in[0] + scale(mean(in[0], a.parts), -1);
  const Tensor y = x * rsqrt(mean(x * x, a.parts), a.eps) * in[1];
  return in.size() == 3 ? y + in[2] : y;
}

const OpDef op_layer_norm =
    with_cuts<LayerNorm, cut_norm<LayerNorm>>(define_op<LayerNorm, infer, expand>("layer_norm", {.by_rows = true}));

}  // namespace skald
