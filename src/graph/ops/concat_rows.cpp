#include "graph/ops/concat_rows.h"

#include "graph/checks.h"

namespace skald {

static ValueDesc infer(const NoAttrs&, std::span<const ValueDesc> in) {
  want_inputs(in, 2);
  const Shape &past = in[0].shape, &fresh = in[1].shape;
  if (in[0].format != in[1].format || past.rank() != 3 || fresh.rank() != 3 || past[0] != fresh[0] || past[2] != fresh[2])
    fail(Errc::kBadInput, "want rows of the same heads, got {} and {}", past.to_string(), fresh.to_string());
  return {in[0].format, Shape{past[0], past[1] + fresh[1], past[2]}, Rows::kFixed};
}

static Cost cost(const NoAttrs&, std::span<const ValueDesc>, const ValueDesc&, const StepStats&) { return {}; }

const OpDef op_concat_rows =
    define_op<NoAttrs, infer, nullptr, cost>("concat_rows", {.view_from = [](const Attrs&) -> int64_t { return 0; }});

}  // namespace skald
