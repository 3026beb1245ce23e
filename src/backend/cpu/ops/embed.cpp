#include "graph/ops/embed.h"

#include "backend/cpu/ops/rowwise.h"
#include "backend/embedding_ids.h"

namespace skald {

static int64_t plan(const NoAttrs&, const CpuPlanArgs& args) {
  check_embedding_format(*args.in[1].format);
  return 0;
}

static void run(CpuContext& cx, const NoAttrs&, const OpArgs& io) {
  const int32_t* ids = io.in[0].as<int32_t>();
  const TensorView& table = io.in[1];
  const int64_t n = io.out.cols();
  check_embedding_ids({ids, static_cast<size_t>(io.out.rows())}, table.rows());
  for_rows(cx, io.out.rows(), n, [&](int64_t r) { table.desc.format->decode(table.row_bytes(ids[r]), io.out.row(r), n); });
}

extern const CpuOp cpu_embed;
const CpuOp cpu_embed = implement<NoAttrs, run, plan>(op_embed);

}  // namespace skald
