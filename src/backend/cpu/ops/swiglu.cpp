#include "graph/ops/swiglu.h"

#include "backend/cpu/ops/rowwise.h"

namespace skald {

static void run(CpuContext& cx, const NoAttrs&, const OpArgs& io) {
  const int64_t n = io.out.cols();
  for_rows(cx, io.out.rows(), n, [&](int64_t r) { cx.kernels.swiglu(io.in[0].row(r), io.in[1].row(r), io.out.row(r), n); });
}

extern const CpuOp cpu_swiglu;
const CpuOp cpu_swiglu = implement<NoAttrs, run>(op_swiglu);

}  // namespace skald
