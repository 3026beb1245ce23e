#include "graph/ops/rope.h"

#include <algorithm>

#include "backend/cpu/ops/rowwise.h"

namespace skald {

static void run(CpuContext& cx, const Rope& a, const OpArgs& io) {
  const TensorView &x = io.in[0], &table = io.in[1];
  const int64_t dims = table.cols(), heads = x.cols() / a.d_head;
  for_rows(cx, x.rows(), x.cols(), [&](int64_t r) {
    const float *cos = table.row(r), *sin = cos + dims / 2;
    for (int64_t h = 0; h < heads; ++h) {
      const float* from = x.row(r) + h * a.d_head;
      float* to = io.out.row(r) + h * a.d_head;
      if (to != from) std::copy_n(from, a.first, to);
      cx.kernels.rope(from + a.first, cos, sin, to + a.first, a.d_head - a.first, dims, a.pairs == RopePairs::kHalves);
    }
  });
}

extern const CpuOp cpu_rope;
const CpuOp cpu_rope = implement<Rope, run>(op_rope);

}  // namespace skald
