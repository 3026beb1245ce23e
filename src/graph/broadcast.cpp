#include "graph/ops/broadcast.h"
#include "base/error.h"

namespace skald {

ValueDesc infer_broadcast(const NoAttrs&, std::span<const ValueDesc> in) {
  if (in.size() != 2) fail(Errc::kBadInput, "want 2 inputs, got {}", in.size());
  const ValueDesc &a = in[0], &b = in[1];
  const bool same = a.shape == b.shape && a.rows == b.rows;
  const bool row = is_row_vector(b) && b.shape.back() == a.shape.back();
  const bool column = is_column(b) && a.shape.rank() == 2 && b.shape[0] == a.shape[0] && a.rows == b.rows;
  if (!same && !row && !column)
    fail(Errc::kBadInput, "shapes {} and {} do not go together", a.shape.to_string(), b.shape.to_string());
  return a;
}

}  // namespace skald
