#include "graph/ops/embed.h"

#include "backend/cpu/low_rank.h"
#include "backend/cpu/ops/rowwise.h"
#include "backend/embedding_ids.h"

namespace skald {

static int64_t plan(const NoAttrs&, const CpuPlanArgs& args) {
  check_embedding_format(*args.in[1].format);
  return 0;
}

// A table's change: the token's row of A is z.
static void adapt(CpuContext& cx, const int32_t* ids, const TensorView& out) {
  for (const AdaptedRows& rows : cx.adapters->rows) {
    const CpuLowRank* const change = change_of(*cx.adapters, rows, 1);
    if (!change) continue;
    const TensorView a = change->a();
    const int64_t rank = change->rank();
    float* const z = cx.adapters->memory->floats(rows.n * rank);
    for_rows(cx, rows.n, out.cols(), [&](int64_t i) {
      float* const own = z + i * rank;
      const int64_t r = rows.first + i;
      a.desc.format->decode(a.row_bytes(ids[r]), own, rank);
      cx.kernels.scale(rows.scale * change->factor(), own, own, rank);
      add_low_rank(cx.kernels, *change, 0, own, 1, 0, out.cols(), out.row(r), out.cols());
    });
  }
}

static void run(CpuContext& cx, const NoAttrs&, const OpArgs& io) {
  const int32_t* ids = io.in[0].as<int32_t>();
  const TensorView& table = io.in[1];
  const int64_t n = io.out.cols();
  check_embedding_ids({ids, static_cast<size_t>(io.out.rows())}, table.rows());
  for_rows(cx, io.out.rows(), n, [&](int64_t r) { table.desc.format->decode(table.row_bytes(ids[r]), io.out.row(r), n); });
  if (cx.adapters) adapt(cx, ids, io.out);
}

extern const CpuOp cpu_embed;
const CpuOp cpu_embed = implement<NoAttrs, run, plan>(op_embed);

}  // namespace skald
