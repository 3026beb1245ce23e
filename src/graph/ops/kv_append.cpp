#include "graph/ops/kv_append.h"

#include <algorithm>

#include "graph/checks.h"
#include "graph/cuts.h"

namespace skald {

std::string KvAppend::describe() const { return fmt::format("slot {}", slot); }

static ValueDesc infer(const KvAppend& a, std::span<const ValueDesc> all) {
  const std::span<const ValueDesc> in = all.first(std::min(all.size(), a.stored(all.size())));
  if (in.size() != 2) want_inputs(in, 1);
  for (const ValueDesc& x : in) {
    want_matrix(x);
    want_rows_of(in[0], x, "values");
    if (a.n_kv_heads <= 0 || x.shape[1] % a.n_kv_heads)
      fail(Errc::kBadInput, "{} of {} do not divide over {} heads", &x == in.data() ? "keys" : "values", x.shape[1],
           a.n_kv_heads);
  }
  if (a.basis) want_index_basis(all.back(), a.n_kv_heads, in[0].shape[1] / a.n_kv_heads);
  return {&format_f32, Shape{0}, Rows::kFixed};
}

static Cost cost(const KvAppend& a, std::span<const ValueDesc> in, const ValueDesc&, const StepStats& step) {
  Cost cost{.bytes = step.bytes(in[0]) + step.elements(in[0]) * (step.kv_element_bytes_k + step.kv_index_bytes)};
  if (a.stored(in.size()) == 2) cost.bytes += step.bytes(in[1]) + step.elements(in[1]) * step.kv_element_bytes_v;
  return cost;
}

static std::optional<CutPlan> cut(const KvAppend& a, std::span<const ValueDesc> in, const ValueDesc&, const Cut& heads) {
  CutPlan plan{{}, attrs_of_parts(a, &KvAppend::n_kv_heads, heads)};
  for (const ValueDesc& x : in.first(a.stored(in.size())))
    plan.inputs.push_back({1, times(heads, x.shape.back() / a.n_kv_heads)});
  if (a.basis) plan.inputs.push_back({0, heads});
  return plan;
}

const OpDef op_kv_append = with_cuts<KvAppend, cut>(define_op<KvAppend, infer, nullptr, cost>("kv_append"));

}  // namespace skald
