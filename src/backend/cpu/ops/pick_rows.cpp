#include "graph/ops/pick_rows.h"

#include <algorithm>

#include "backend/cpu/ops/rowwise.h"

namespace skald {

static void run(CpuContext& cx, const NoAttrs&, const OpArgs& io) {
  const int32_t* rows = io.in[1].as<int32_t>();
  const int64_t n = io.out.cols();
  for_rows(cx, io.out.rows(), n, [&](int64_t r) { std::copy_n(io.in[0].row(rows[r]), n, io.out.row(r)); });
}

extern const CpuOp cpu_pick_rows;
const CpuOp cpu_pick_rows = implement<NoAttrs, run>(op_pick_rows);

}  // namespace skald
