#include "graph/ops/rsqrt.h"

#include <cmath>

#include "backend/cpu/ops/rowwise.h"

namespace skald {

static void run(CpuContext& cx, const Rsqrt& a, const OpArgs& io) {
  map_values(cx, io, [&](float x) { return 1.0f / std::sqrt(x + a.eps); });
}

extern const CpuOp cpu_rsqrt;
const CpuOp cpu_rsqrt = implement<Rsqrt, run>(op_rsqrt);

}  // namespace skald
