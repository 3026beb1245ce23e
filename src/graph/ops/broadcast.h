// Shape rule of the binary element-wise operations: a (.., n) with b of the same shape, (n), or (.., 1).
#pragma once

#include <span>

#include "graph/op.h"

namespace skald {

inline bool is_row_vector(const ValueDesc& b) { return b.shape.rank() == 1 && b.rows == Rows::kFixed; }
inline bool is_column(const ValueDesc& b) { return b.shape.rank() == 2 && b.shape.back() == 1; }

/// The output's description; throws kBadInput where the shapes do not go together.
ValueDesc infer_broadcast(const NoAttrs&, std::span<const ValueDesc> in);

}  // namespace skald
