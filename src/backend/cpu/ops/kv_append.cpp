#include "graph/ops/kv_append.h"

#include "backend/cpu/ops/rowwise.h"

namespace skald {

static void run(CpuContext& cx, const KvAppend& a, const OpArgs& io) {
  const TensorView &k = io.in[0], &v = io.in[1];
  for_rows(cx, k.rows(), k.cols() + v.cols(), [&](int64_t r) {
    const KvView& kv = cx.step->kv.of_row(a.layer, r);
    const int64_t key = cx.step->positions[r];
    const int64_t d_k = k.cols() / a.n_kv_heads, d_v = v.cols() / a.n_kv_heads;
    for (int64_t h = 0; h < a.n_kv_heads; ++h) {
      cx.kernels.store[kv.k_format](k.row(r) + h * d_k, kv.k_row(h, key), d_k);
      cx.kernels.store[kv.v_format](v.row(r) + h * d_v, kv.v_row(h, key), d_v);
    }
  });
}

extern const CpuOp cpu_kv_append;
const CpuOp cpu_kv_append = implement<KvAppend, run>(op_kv_append);

}  // namespace skald
