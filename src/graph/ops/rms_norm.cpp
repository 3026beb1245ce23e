#include "graph/ops/rms_norm.h"

#include <fmt/format.h>

#include "graph/checks.h"
#include "graph/cuts.h"
#include "graph/ops/elementwise.h"
#include "graph/ops/mean.h"

namespace skald {

std::string RmsNorm::describe() const {
  return parts == 1 ? fmt::format("eps {:g}", eps) : fmt::format("eps {:g}, {} parts", eps, parts);
}

static ValueDesc infer(const RmsNorm& a, std::span<const ValueDesc> in) {
  want_inputs(in, 2);
  want_parts(in[0], a.parts);
  want_part_weight(in[0], a.parts, in[1], "weight");
  return in[0];
}

static Tensor expand(Graph&, const RmsNorm& a, std::span<const Tensor> in) {
  const Tensor x = in[0];
  return x * rsqrt(mean(x * x, a.parts), a.eps) * in[1];
}

const OpDef op_rms_norm =
    with_cuts<RmsNorm, cut_norm<RmsNorm>>(define_op<RmsNorm, infer, expand>("rms_norm", {.by_rows = true}));

}  // namespace skald
