#include "graph/ops/binary.h"

#include "graph/cuts.h"

#include "base/error.h"

namespace skald {

static ValueDesc infer(const NoAttrs&, std::span<const ValueDesc> in) {
  if (in.size() != 2) fail(Errc::kBadInput, "want 2 inputs, got {}", in.size());
  const ValueDesc &a = in[0], &b = in[1];
  const bool same = a.shape == b.shape && a.rows == b.rows;
  const bool divides = a.shape.back() % b.shape.back() == 0;
  const bool row = b.shape.rank() == 1 && b.rows == Rows::kFixed && divides;
  const bool columns = a.shape.rank() == 2 && b.shape.rank() == 2 && b.shape[0] == a.shape[0] && a.rows == b.rows && divides;
  if (!same && !row && !columns)
    fail(Errc::kBadInput, "shapes {} and {} do not go together", a.shape.to_string(), b.shape.to_string());
  return a;
}

const OpDef op_add =
    with_cuts<NoAttrs, cut_columns_alike<NoAttrs>>(define_op<NoAttrs, infer>("add", {.in_place = true, .by_rows = true}));
const OpDef op_mul =
    with_cuts<NoAttrs, cut_columns_alike<NoAttrs>>(define_op<NoAttrs, infer>("mul", {.in_place = true, .by_rows = true}));

}  // namespace skald
