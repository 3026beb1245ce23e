#include "graph/ops/xielu.h"

#include <fmt/format.h>

#include <cmath>

#include "graph/checks.h"
#include "graph/cuts.h"

namespace skald {

std::string Xielu::describe() const {
  return fmt::format("alpha {:g} and {:g}, beta {:g}, eps {:g}", alpha_p, alpha_n, beta, eps);
}

static ValueDesc infer(const Xielu& a, std::span<const ValueDesc> in) {
  want_inputs(in, 1);
  for (const float x : {a.alpha_p, a.alpha_n, a.beta, a.eps})
    if (!std::isfinite(x)) fail(Errc::kBadInput, "want finite numbers, got {}", a.describe());
  return in[0];
}

const OpDef op_xielu =
    with_cuts<Xielu, cut_columns_alike<Xielu>>(define_op<Xielu, infer>("xielu", {.in_place = true, .by_rows = true}));

Tensor xielu(Tensor x, const Xielu& a) { return x.graph->add(op_xielu, Attrs(a), {x}); }

}  // namespace skald
