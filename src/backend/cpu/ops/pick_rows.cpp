#include "graph/ops/pick_rows.h"

#include <cstring>

#include "backend/cpu/ops/rowwise.h"

namespace skald {

static void run(CpuContext& cx, const NoAttrs&, const OpArgs& io) {
  const int32_t* rows = io.in[1].as<int32_t>();
  const auto bytes = static_cast<size_t>(io.out.desc.row_bytes());
  for_rows(cx, io.out.rows(), io.out.cols(),
           [&](int64_t r) { std::memcpy(io.out.row_bytes(r), io.in[0].row_bytes(rows[r]), bytes); });
}

extern const CpuOp cpu_pick_rows;
const CpuOp cpu_pick_rows = implement<NoAttrs, run>(op_pick_rows);

}  // namespace skald
