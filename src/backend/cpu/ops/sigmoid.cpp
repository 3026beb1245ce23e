#include "graph/ops/sigmoid.h"

#include <cmath>

#include "backend/cpu/ops/rowwise.h"

namespace skald {

// Of few values: those that choose experts and weigh them.
static void run(CpuContext& cx, const NoAttrs&, const OpArgs& io) {
  map_values(cx, io, [](float x) { return 1.0f / (1.0f + std::exp(-x)); });
}

extern const CpuOp cpu_sigmoid;
const CpuOp cpu_sigmoid = implement<NoAttrs, run>(op_sigmoid);

}  // namespace skald
