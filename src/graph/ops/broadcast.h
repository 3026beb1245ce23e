// Shape rule of the binary element-wise operations: a (.., n) with b of the same shape, a row vector (m) that is repeated
// along the rows, or columns (.., m) each of which goes with n / m neighbours; m divides n.
#pragma once

#include <span>

#include "graph/op.h"

namespace skald {

/// The output's description; throws kBadInput where the shapes do not go together.
ValueDesc infer_broadcast(const NoAttrs&, std::span<const ValueDesc> in);

}  // namespace skald
