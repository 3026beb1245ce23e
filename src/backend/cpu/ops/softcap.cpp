#include "graph/ops/softcap.h"

#include "backend/cpu/ops/rowwise.h"

namespace skald {

static void run(CpuContext& cx, const Softcap& a, const OpArgs& io) {
  const int64_t n = io.out.cols();
  for_rows(cx, io.out.rows(), n, [&](int64_t r) { cx.kernels.softcap(io.in[0].row(r), a.cap, io.out.row(r), n); });
}

extern const CpuOp cpu_softcap;
const CpuOp cpu_softcap = implement<Softcap, run>(op_softcap);

}  // namespace skald
