#include "graph/ops/rope.h"

#include "graph/checks.h"
#include "graph/cuts.h"

namespace skald {

std::string Rope::describe() const {
  return fmt::format("heads of {}, {}{}", d_head, pairs == RopePairs::kHalves ? "halves" : "interleaved",
                     first ? fmt::format(" from {}", first) : "");
}

static ValueDesc infer(const Rope& a, std::span<const ValueDesc> in) {
  want_at_least(in, 2);
  want_matrix(in[0]);
  for (const ValueDesc& table : in.subspan(1)) {
    want_matrix(table);
    want_rows_of(in[0], table, "table");
    want_cols(table, in[1].shape[1], "table");
  }
  if (a.d_head <= 0 || in[0].shape[1] % a.d_head)
    fail(Errc::kBadInput, "rows of {} do not divide into heads of {}", in[0].shape[1], a.d_head);
  if (a.first < 0 || in[1].shape[1] > a.d_head - a.first)
    fail(Errc::kBadInput, "rotates {} values of heads that have {}, from {} on", in[1].shape[1], a.d_head, a.first);
  return in[0];
}

// Tables that heads take in turn stay in turn.
static std::optional<CutPlan> cut(const Rope& a, std::span<const ValueDesc> in, const ValueDesc&, const Cut& wanted) {
  if (!over(wanted, a.d_head * (std::ssize(in) - 1))) return {};
  CutPlan plan{{{1, wanted}}};
  plan.inputs.resize(in.size());
  return plan;
}

const OpDef op_rope = with_cuts<Rope, cut>(define_op<Rope, infer>("rope", {.in_place = true, .by_rows = true}));

}  // namespace skald
