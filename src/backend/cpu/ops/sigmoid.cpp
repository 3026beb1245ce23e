#include "graph/ops/sigmoid.h"

#include <cmath>

#include "backend/cpu/ops/rowwise.h"

namespace skald {

// Of few values: what chooses experts and weighs them.
static void run(CpuContext& cx, const NoAttrs&, const OpArgs& io) {
  const int64_t n = io.out.cols();
  for_rows(cx, io.out.rows(), n, [&](int64_t r) {
    const float* x = io.in[0].row(r);
    float* y = io.out.row(r);
    for (int64_t i = 0; i < n; ++i) y[i] = 1.0f / (1.0f + std::exp(-x[i]));
  });
}

extern const CpuOp cpu_sigmoid;
const CpuOp cpu_sigmoid = implement<NoAttrs, run>(op_sigmoid);

}  // namespace skald
