#include "graph/ops/scale.h"

#include <fmt/format.h>

#include "graph/checks.h"

namespace skald {

std::string ScaleBy::describe() const { return fmt::format("by {:g}", factor); }

static ValueDesc infer(const ScaleBy&, std::span<const ValueDesc> in) {
  want_inputs(in, 1);
  return in[0];
}

const OpDef op_scale = define_op<ScaleBy, infer>("scale", {.in_place = true, .by_rows = true});

Tensor scale(Tensor x, float factor) { return x.graph->add(op_scale, Attrs(ScaleBy{factor}), {x}); }

}  // namespace skald
