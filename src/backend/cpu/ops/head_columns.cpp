#include "graph/ops/head_columns.h"

#include <algorithm>

#include "backend/cpu/ops/rowwise.h"

namespace skald {

static void run(CpuContext& cx, const HeadColumns& a, const OpArgs& io) {
  const int64_t d = io.in[0].cols() / a.heads;
  for_rows(cx, io.out.rows(), io.out.cols(), [&](int64_t r) {
    for (int64_t h = 0; h < a.heads; ++h) std::copy_n(io.in[0].row(r) + h * d + a.first, a.n, io.out.row(r) + h * a.n);
  });
}

extern const CpuOp cpu_head_columns;
const CpuOp cpu_head_columns = implement<HeadColumns, run>(op_head_columns);

}  // namespace skald
