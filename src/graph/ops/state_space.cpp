#include "graph/ops/state_space.h"

#include "graph/checks.h"
#include "graph/cuts.h"

namespace skald {

std::string StateSpace::describe() const { return fmt::format("slot {}, {} heads in {} groups", slot, heads, groups); }

static ValueDesc infer(const StateSpace& a, std::span<const ValueDesc> in) {
  want_inputs(in, 6);
  for (const ValueDesc& x : in.first(4)) want_matrix(x);
  want_rows_of(in[0], in[1], "B");
  want_rows_of(in[0], in[2], "C");
  want_rows_of(in[0], in[3], "dt");
  const int64_t d = in[0].shape[1], state = in[1].shape[1];
  if (a.heads <= 0 || a.groups <= 0 || d % a.heads || state % a.groups || a.heads % a.groups)
    fail(Errc::kBadInput, "{} values and states of {} do not divide over {} heads in {} groups", d, state, a.heads,
         a.groups);
  if (in[2].shape[1] != state) fail(Errc::kBadInput, "B has {} columns, C {}", state, in[2].shape[1]);
  if (in[3].shape[1] != a.heads) fail(Errc::kBadInput, "dt has {} columns for {} heads", in[3].shape[1], a.heads);
  for (const ValueDesc& x : in.subspan(4)) want_head_numbers(x, a.heads);
  return in[0];
}

static Cost cost(const StateSpace& a, std::span<const ValueDesc> in, const ValueDesc& out, const StepStats& step) {
  double bytes = step.bytes(out);
  for (const ValueDesc& x : in) bytes += step.bytes(x);
  const double state = static_cast<double>(in[0].shape[1] * (in[1].shape[1] / a.groups));
  bytes += 2 * sizeof(float) * state * static_cast<double>(step.sequences.size());
  return {.bytes = bytes, .flops = 5 * state * static_cast<double>(step.rows(out))};
}

static Cut own_cut(const StateSpace& a, const ValueDesc& out, size_t ranks) {
  return times(cut_heads(a.heads, a.groups, ranks).heads, out.shape.back() / a.heads);
}

static std::optional<CutPlan> cut(const StateSpace& a, std::span<const ValueDesc> in, const ValueDesc& out,
                                  const Cut& wanted) {
  if (wanted != own_cut(a, out, wanted.ranks())) return {};
  const HeadCut of = cut_heads(a.heads, a.groups, wanted.ranks());
  const CutInput states{1, times(of.groups, in[1].shape.back() / a.groups)};
  return CutPlan{{{1, wanted}, states, states, {1, of.heads}, {0, of.heads}, {0, of.heads}},
                 attrs_of_heads(a, &StateSpace::heads, &StateSpace::groups, of)};
}

const OpDef op_state_space =
    with_cuts<StateSpace, cut, nullptr, own_cut>(define_op<StateSpace, infer, nullptr, cost>("state_space"));

}  // namespace skald
