#include "graph/ops/rms_norm.h"

#include "backend/cpu/ops/rowwise.h"

namespace skald {

static void run(CpuContext& cx, const RmsNorm& a, const OpArgs& io) {
  const int64_t n = io.out.cols();
  for_rows(cx, io.out.rows(), n,
           [&](int64_t r) { cx.kernels.rms_norm(io.in[0].row(r), io.in[1].row(0), io.out.row(r), n, a.eps); });
}

extern const CpuOp cpu_rms_norm;
const CpuOp cpu_rms_norm = implement<RmsNorm, run>(op_rms_norm);

}  // namespace skald
