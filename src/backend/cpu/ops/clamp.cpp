#include "graph/ops/clamp.h"

#include <algorithm>

#include "backend/cpu/ops/rowwise.h"

namespace skald {

static void run(CpuContext& cx, const Clamp& a, const OpArgs& io) {
  const int64_t n = io.out.cols();
  for_rows(cx, io.out.rows(), n, [&](int64_t r) {
    const float* x = io.in[0].row(r);
    float* y = io.out.row(r);
    for (int64_t i = 0; i < n; ++i) y[i] = std::clamp(x[i], -a.limit, a.limit);
  });
}

extern const CpuOp cpu_clamp;
const CpuOp cpu_clamp = implement<Clamp, run>(op_clamp);

}  // namespace skald
