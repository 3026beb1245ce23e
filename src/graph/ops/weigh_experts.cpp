#include "graph/ops/weigh_experts.h"

#include "graph/checks.h"

namespace skald {

std::string WeighExperts::describe() const {
  std::string out = softmax ? "softmax" : normalise ? "normalised" : "scores";
  if (scale != 1.0f) out += fmt::format(" x {:g}", scale);
  return out;
}

static ValueDesc infer(const WeighExperts&, std::span<const ValueDesc> in) {
  want_inputs(in, 2);
  want_matrix(in[0]);
  want_matrix(in[1]);
  want_rows_of(in[0], in[1], "ids");
  return {&format_f32, in[1].shape, in[1].rows};
}

static Cost cost(const WeighExperts&, std::span<const ValueDesc> in, const ValueDesc& out, const StepStats& step) {
  return {.bytes = step.bytes(in[1]) + 2 * step.bytes(out), .flops = 2 * step.elements(out)};
}

const OpDef op_weigh_experts = define_op<WeighExperts, infer, nullptr, cost>("weigh_experts", {.by_rows = true});

}  // namespace skald
