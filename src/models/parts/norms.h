// Norms without weights.
#pragma once

#include "graph/graph.h"

namespace skald {

/// x over the root mean square of each of `parts` equal parts of a row (heads); as x.
Tensor normalised(Tensor x, int64_t parts, float eps);

}  // namespace skald
