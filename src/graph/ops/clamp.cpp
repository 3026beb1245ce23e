#include "graph/ops/clamp.h"

#include <fmt/format.h>

#include "graph/checks.h"

namespace skald {

std::string Clamp::describe() const { return fmt::format("within +-{:g}", limit); }

static ValueDesc infer(const Clamp& a, std::span<const ValueDesc> in) {
  want_inputs(in, 1);
  if (!(a.limit > 0)) fail(Errc::kBadInput, "want a positive limit, got {}", a.limit);
  return in[0];
}

const OpDef op_clamp = define_op<Clamp, infer>("clamp", {.in_place = true, .by_rows = true});

Tensor clamp(Tensor x, float limit) { return x.graph->add(op_clamp, Attrs(Clamp{limit}), {x}); }

}  // namespace skald
