#include "graph/ops/join_heads.h"

#include <algorithm>

#include "backend/cpu/ops/rowwise.h"

namespace skald {

static void run(CpuContext& cx, const JoinHeads& a, const OpArgs& io) {
  const int64_t n = io.in[0].cols() / a.heads, m = a.shared ? io.in[1].cols() : io.in[1].cols() / a.heads;
  for_rows(cx, io.out.rows(), io.out.cols(), [&](int64_t r) {
    float* out = io.out.row(r);
    for (int64_t h = 0; h < a.heads; ++h) {
      out = std::copy_n(io.in[0].row(r) + h * n, n, out);
      out = std::copy_n(io.in[1].row(r) + (a.shared ? 0 : h * m), m, out);
    }
  });
}

extern const CpuOp cpu_join_heads;
const CpuOp cpu_join_heads = implement<JoinHeads, run>(op_join_heads);

}  // namespace skald
