#include "graph/ops/mean.h"

#include "backend/cpu/ops/rowwise.h"

namespace skald {

static void run(CpuContext& cx, const Mean& a, const OpArgs& io) {
  const int64_t n = io.in[0].cols() / a.parts;
  for_rows(cx, io.out.rows(), io.in[0].cols(), [&](int64_t r) {
    const float* x = io.in[0].row(r);
    for (int64_t p = 0; p < a.parts; ++p, x += n) {
      double sum = 0;
      for (int64_t i = 0; i < n; ++i) sum += static_cast<double>(x[i]);
      io.out.row(r)[p] = static_cast<float>(sum / static_cast<double>(n));
    }
  });
}

extern const CpuOp cpu_mean;
const CpuOp cpu_mean = implement<Mean, run>(op_mean);

}  // namespace skald
