#include "graph/ops/softplus.h"

#include <algorithm>
#include <cmath>

#include "backend/cpu/ops/rowwise.h"

namespace skald {

// Of few values: gates of heads, steps of state spaces.
static void run(CpuContext& cx, const NoAttrs&, const OpArgs& io) {
  const int64_t n = io.out.cols();
  for_rows(cx, io.out.rows(), n, [&](int64_t r) {
    const float* x = io.in[0].row(r);
    float* y = io.out.row(r);
    for (int64_t i = 0; i < n; ++i) y[i] = std::max(x[i], 0.0f) + std::log1p(std::exp(-std::abs(x[i])));
  });
}

extern const CpuOp cpu_softplus;
const CpuOp cpu_softplus = implement<NoAttrs, run>(op_softplus);

}  // namespace skald
