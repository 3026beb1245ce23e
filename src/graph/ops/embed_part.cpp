#include "graph/ops/embed_part.h"

#include "graph/checks.h"

namespace skald {

std::string EmbedPart::describe() const { return fmt::format("from {} of {}", first, all); }

static ValueDesc infer(const EmbedPart& a, std::span<const ValueDesc> in) {
  want_inputs(in, 2);
  want_matrix(in[1]);
  if (a.first < 0 || a.first + in[1].shape[0] > a.all)
    fail(Errc::kBadInput, "rows {} to {} of a table of {}", a.first, a.first + in[1].shape[0] - 1, a.all);
  return {&format_f32, Shape{in[0].shape[0], in[1].shape[1]}, in[0].rows};
}

static Cost cost(const EmbedPart& a, std::span<const ValueDesc> in, const ValueDesc& out, const StepStats& step) {
  const double share = static_cast<double>(in[1].shape[0]) / static_cast<double>(a.all);
  const double row = static_cast<double>(in[1].format->bytes(in[1].shape.back()));
  return {.bytes = step.bytes(out) + share * row * static_cast<double>(step.rows(out))};
}

const OpDef op_embed_part = define_op<EmbedPart, infer, nullptr, cost>("embed_part");

}  // namespace skald
