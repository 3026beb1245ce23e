#include "graph/ops/head_columns.h"

#include "graph/checks.h"
#include "graph/cuts.h"

namespace skald {

std::string HeadColumns::describe() const { return fmt::format("{} from {} of {} heads", n, first, heads); }

static ValueDesc infer(const HeadColumns& a, std::span<const ValueDesc> in) {
  want_inputs(in, 1);
  want_matrix(in[0]);
  want_heads(in[0], a.heads);
  if (const int64_t d = in[0].shape[1] / a.heads; a.first < 0 || a.n < 1 || a.first + a.n > d)
    fail(Errc::kBadInput, "heads of {} have no {} columns from {} on", d, a.n, a.first);
  return {in[0].format, Shape{in[0].shape[0], a.heads * a.n}, in[0].rows};
}

static Cost cost(const HeadColumns&, std::span<const ValueDesc>, const ValueDesc& out, const StepStats& step) {
  return {.bytes = 2 * step.bytes(out)};
}

static std::optional<CutPlan> cut(const HeadColumns& a, std::span<const ValueDesc> in, const ValueDesc& out,
                                  const Cut& wanted) {
  const std::optional<Cut> heads = cut_of_parts(out, a.heads, wanted);
  if (!heads) return {};
  return CutPlan{{{1, times(*heads, in[0].shape.back() / a.heads)}}, attrs_of_parts(a, &HeadColumns::heads, *heads)};
}

const OpDef op_head_columns =
    with_cuts<HeadColumns, cut>(define_op<HeadColumns, infer, nullptr, cost>("head_columns", {.by_rows = true}));

}  // namespace skald
