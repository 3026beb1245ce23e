#include "graph/ops/activation.h"

#include "backend/cpu/ops/rowwise.h"

namespace skald {

static void run(CpuContext& cx, const Activate& a, const OpArgs& io) {
  const ActivationFn kernel = cx.kernels.activation[static_cast<size_t>(a.function)];
  const int64_t n = io.out.cols();
  for_rows(cx, io.out.rows(), n, [&](int64_t r) { kernel(io.in[0].row(r), io.out.row(r), n); });
}

extern const CpuOp cpu_activation;
const CpuOp cpu_activation = implement<Activate, run>(op_activation);

}  // namespace skald
