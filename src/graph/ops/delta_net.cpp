#include "graph/ops/delta_net.h"

#include "graph/checks.h"
#include "graph/cuts.h"

namespace skald {

std::string DeltaNet::describe() const {
  return fmt::format("slot {}, {} heads, {} key heads{}", slot, heads, key_heads, tiled ? ", tiled" : "");
}

static ValueDesc infer(const DeltaNet& a, std::span<const ValueDesc> in) {
  want_inputs(in, 6);
  for (const ValueDesc& x : in.first(5)) {
    want_matrix(x);
    want_rows_of(in[0], x, "inputs");
  }
  const int64_t keys = in[0].shape[1], values = in[2].shape[1];
  if (a.heads <= 0 || a.key_heads <= 0 || keys % a.key_heads || values % a.heads || a.heads % a.key_heads)
    fail(Errc::kBadInput, "keys of {} and values of {} do not divide over {} and {} heads", keys, values, a.key_heads,
         a.heads);
  if (in[1].shape[1] != keys) fail(Errc::kBadInput, "queries have {} columns, keys {}", keys, in[1].shape[1]);
  const int64_t d_k = keys / a.key_heads;
  if (in[3].shape[1] != a.heads && in[3].shape[1] != a.heads * d_k)
    fail(Errc::kBadInput, "decays have {} columns for {} heads of {}", in[3].shape[1], a.heads, d_k);
  if (in[4].shape[1] != a.heads) fail(Errc::kBadInput, "beta has {} columns for {} heads", in[4].shape[1], a.heads);
  want_head_numbers(in[5], a.heads);
  return in[2];
}

static Cost cost(const DeltaNet& a, std::span<const ValueDesc> in, const ValueDesc& out, const StepStats& step) {
  double bytes = step.bytes(out);
  for (const ValueDesc& x : in) bytes += step.bytes(x);
  const double state = static_cast<double>(in[2].shape[1] * (in[0].shape[1] / a.key_heads));
  bytes += 2 * sizeof(float) * state * static_cast<double>(step.sequences.size());
  return {.bytes = bytes, .flops = 7 * state * static_cast<double>(step.rows(out))};
}

static Cut own_cut(const DeltaNet& a, const ValueDesc& out, size_t ranks) {
  return times(cut_heads(a.heads, a.key_heads, ranks, a.tiled).heads, out.shape.back() / a.heads);
}

static std::optional<CutPlan> cut(const DeltaNet& a, std::span<const ValueDesc> in, const ValueDesc& out,
                                  const Cut& wanted) {
  if (wanted != own_cut(a, out, wanted.ranks())) return {};
  const HeadCut of = cut_heads(a.heads, a.key_heads, wanted.ranks(), a.tiled);
  const CutInput keys{1, times(of.groups, in[0].shape.back() / a.key_heads)};
  const CutInput decays{1, times(of.heads, in[3].shape.back() / a.heads)};
  return CutPlan{{keys, keys, {1, wanted}, decays, {1, of.heads}, {0, of.heads}},
                 attrs_of_heads(a, &DeltaNet::heads, &DeltaNet::key_heads, of)};
}

const OpDef op_delta_net =
    with_cuts<DeltaNet, cut, nullptr, own_cut>(define_op<DeltaNet, infer, nullptr, cost>("delta_net"));

}  // namespace skald
