#include "graph/ops/silu.h"

#include "backend/cpu/ops/rowwise.h"

namespace skald {

static void run(CpuContext& cx, const NoAttrs&, const OpArgs& io) {
  const int64_t n = io.out.cols();
  for_rows(cx, io.out.rows(), n, [&](int64_t r) { cx.kernels.silu(io.in[0].row(r), io.out.row(r), n); });
}

extern const CpuOp cpu_silu;
const CpuOp cpu_silu = implement<NoAttrs, run>(op_silu);

}  // namespace skald
