#include "graph/ops/rsqrt.h"

#include <cmath>

#include "backend/cpu/ops/rowwise.h"

namespace skald {

static void run(CpuContext& cx, const Rsqrt& a, const OpArgs& io) {
  const int64_t n = io.out.cols();
  for_rows(cx, io.out.rows(), n, [&](int64_t r) {
    for (int64_t i = 0; i < n; ++i) io.out.row(r)[i] = 1.0f / std::sqrt(io.in[0].row(r)[i] + a.eps);
  });
}

extern const CpuOp cpu_rsqrt;
const CpuOp cpu_rsqrt = implement<Rsqrt, run>(op_rsqrt);

}  // namespace skald
