#include "graph/ops/softplus.h"

#include <algorithm>
#include <cmath>

#include "backend/cpu/ops/rowwise.h"

namespace skald {

// Of few values: gates of heads, steps of state spaces.
static void run(CpuContext& cx, const NoAttrs&, const OpArgs& io) {
  map_values(cx, io, [](float x) { return std::max(x, 0.0f) + std::log1p(std::exp(-std::abs(x))); });
}

extern const CpuOp cpu_softplus;
const CpuOp cpu_softplus = implement<NoAttrs, run>(op_softplus);

}  // namespace skald
