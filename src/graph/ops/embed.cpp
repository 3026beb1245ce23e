#include "graph/ops/embed.h"

#include "graph/checks.h"

namespace skald {

static ValueDesc infer(const NoAttrs&, std::span<const ValueDesc> in) {
  want_inputs(in, 2);
  want_matrix(in[1]);
  return {&format_f32, Shape{in[0].shape[0], in[1].shape[1]}, in[0].rows};
}

static Cost cost(const NoAttrs&, std::span<const ValueDesc> in, const ValueDesc& out, const StepStats& step) {
  const double row = static_cast<double>(in[1].format->bytes(in[1].shape.back()));
  return {.bytes = step.bytes(out) + row * static_cast<double>(step.rows(out))};
}

const OpDef op_embed = define_op<NoAttrs, infer, nullptr, cost>("embed");

}  // namespace skald
