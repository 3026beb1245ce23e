#include "graph/ops/join_heads.h"

#include "graph/checks.h"

namespace skald {

std::string JoinHeads::describe() const { return fmt::format("{} heads{}", heads, shared ? ", one for all" : ""); }

static ValueDesc infer(const JoinHeads& a, std::span<const ValueDesc> in) {
  want_inputs(in, 2);
  want_matrix(in[0]);
  want_matrix(in[1]);
  want_rows_of(in[0], in[1], "the second half");
  want_heads(in[0], a.heads);
  if (!a.shared) want_heads(in[1], a.heads);
  return {in[0].format, Shape{in[0].shape[0], in[0].shape[1] + in[1].shape[1] * (a.shared ? a.heads : 1)}, in[0].rows};
}

static Cost cost(const JoinHeads&, std::span<const ValueDesc> in, const ValueDesc& out, const StepStats& step) {
  return {.bytes = step.bytes(in[0]) + step.bytes(in[1]) + step.bytes(out)};
}

const OpDef op_join_heads = define_op<JoinHeads, infer, nullptr, cost>("join_heads", {.by_rows = true});

}  // namespace skald
