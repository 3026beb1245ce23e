#include "graph/ops/split_heads.h"

#include "graph/checks.h"

namespace skald {

std::string SplitHeads::describe() const { return fmt::format("{} heads, {}", heads, format->name); }

static ValueDesc infer(const SplitHeads& a, std::span<const ValueDesc> in) {
  const bool scaled = a.format == &format_i8;
  want_inputs(in, scaled ? 2 : 1);
  want_matrix(in[0]);
  if (a.heads <= 0 || in[0].shape[1] % a.heads)
    fail(Errc::kBadInput, "rows of {} do not divide over {} heads", in[0].shape[1], a.heads);
  if (scaled && in[1].shape != Shape{1}) fail(Errc::kBadInput, "scale: want (1), got {}", in[1].shape.to_string());
  return {a.format, Shape{a.heads, in[0].shape[0], in[0].shape[1] / a.heads}, Rows::kFixed};
}

const OpDef op_split_heads = define_op<SplitHeads, infer>("split_heads");

}  // namespace skald
