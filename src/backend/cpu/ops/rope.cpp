#include "graph/ops/rope.h"

#include <algorithm>

#include "backend/cpu/ops/rowwise.h"

namespace skald {

static void run(CpuContext& cx, const Rope& a, const OpArgs& io) {
  const TensorView& x = io.in[0];
  const std::span<const TensorView> tables = io.in.subspan(1);
  const int64_t dims = tables[0].cols(), heads = x.cols() / a.d_head, turns = static_cast<int64_t>(tables.size());
  for_rows(cx, x.rows(), x.cols(), [&](int64_t r) {
    for (int64_t turn = 0; turn < turns; ++turn) {
      const float *cos = tables[static_cast<size_t>(turn)].row(r), *sin = cos + dims / 2;
      for (int64_t h = turn; h < heads; h += turns) {
        const float* from = x.row(r) + h * a.d_head;
        float* to = io.out.row(r) + h * a.d_head;
        if (to != from) std::copy_n(from, a.first, to);
        cx.kernels.rope(from + a.first, cos, sin, to + a.first, a.d_head - a.first, dims, a.pairs == RopePairs::kHalves);
      }
    }
  });
}

extern const CpuOp cpu_rope;
const CpuOp cpu_rope = implement<Rope, run>(op_rope);

}  // namespace skald
