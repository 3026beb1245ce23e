#include "graph/ops/scale.h"

#include "backend/cpu/ops/rowwise.h"

namespace skald {

static void run(CpuContext& cx, const ScaleBy& a, const OpArgs& io) {
  const int64_t n = io.out.cols();
  for_rows(cx, io.out.rows(), n, [&](int64_t r) { cx.kernels.scale(a.factor, io.in[0].row(r), io.out.row(r), n); });
}

extern const CpuOp cpu_scale;
const CpuOp cpu_scale = implement<ScaleBy, run>(op_scale);

}  // namespace skald
