#include "graph/ops/clamp.h"

#include <algorithm>

#include "backend/cpu/ops/rowwise.h"

namespace skald {

// No number for an infinite one.
static void run(CpuContext& cx, const Clamp& a, const OpArgs& io) {
  map_values(cx, io, [&](float x) { return std::clamp(x, -a.limit, a.limit) + x * 0.0f; });
}

extern const CpuOp cpu_clamp;
const CpuOp cpu_clamp = implement<Clamp, run>(op_clamp);

}  // namespace skald
