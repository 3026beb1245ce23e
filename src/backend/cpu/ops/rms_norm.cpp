#include "graph/ops/rms_norm.h"

#include "backend/cpu/ops/rowwise.h"

namespace skald {

static void run(CpuContext& cx, const RmsNorm& a, const OpArgs& io) {
  const int64_t n = io.out.cols() / a.parts;
  const int64_t w_step = io.in[1].cols() == n ? 0 : n;  // a vector of n belongs to all parts
  for_rows(cx, io.out.rows(), io.out.cols(), [&](int64_t r) {
    const float *x = io.in[0].row(r), *w = io.in[1].as();
    for (int64_t p = 0; p < a.parts; ++p) cx.kernels.rms_norm(x + p * n, w + p * w_step, io.out.row(r) + p * n, n, a.eps);
  });
}

extern const CpuOp cpu_rms_norm;
const CpuOp cpu_rms_norm = implement<RmsNorm, run>(op_rms_norm);

}  // namespace skald
