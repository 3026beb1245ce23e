#include "graph/ops/embed_part.h"

#include <algorithm>

#include "backend/cpu/ops/rowwise.h"
#include "backend/embedding_ids.h"

namespace skald {

static int64_t plan(const EmbedPart&, const CpuPlanArgs& args) {
  check_embedding_format(*args.in[1].format);
  return 0;
}

static void run(CpuContext& cx, const EmbedPart& a, const OpArgs& io) {
  const int32_t* ids = io.in[0].as<int32_t>();
  const TensorView& table = io.in[1];
  const int64_t n = io.out.cols();
  check_embedding_ids({ids, static_cast<size_t>(io.out.rows())}, a.all);
  for_rows(cx, io.out.rows(), n, [&](int64_t r) {
    const int64_t row = ids[r] - a.first;
    if (row >= 0 && row < table.rows())
      table.desc.format->decode(table.row_bytes(row), io.out.row(r), n);
    else
      std::fill_n(io.out.row(r), n, 0.0F);
  });
}

extern const CpuOp cpu_embed_part;
const CpuOp cpu_embed_part = implement<EmbedPart, run, plan>(op_embed_part);

}  // namespace skald
