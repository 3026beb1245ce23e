#include "graph/ops/xielu.h"

#include <algorithm>
#include <cmath>

#include "backend/cpu/ops/rowwise.h"

namespace skald {

static float of(float x, const Xielu& a) {
  if (x > 0) return a.alpha_p * x * x + a.beta * x;
  return a.alpha_n * (std::expm1(std::min(x, a.eps)) - x) + a.beta * x;
}

static void run(CpuContext& cx, const Xielu& a, const OpArgs& io) {
  map_values(cx, io, [&](float x) { return of(x, a); });
}

extern const CpuOp cpu_xielu;
const CpuOp cpu_xielu = implement<Xielu, run>(op_xielu);

}  // namespace skald
