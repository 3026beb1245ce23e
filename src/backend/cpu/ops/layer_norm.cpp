#include "graph/ops/layer_norm.h"

#include "backend/cpu/ops/rowwise.h"

namespace skald {

static void run(CpuContext& cx, const LayerNorm& a, const OpArgs& io) {
  const int64_t n = io.out.cols() / a.parts;
  const auto of_part = [&](size_t input, int64_t p) -> const float* {
    if (input >= io.in.size()) return nullptr;
    return io.in[input].as() + (io.in[input].cols() == n ? 0 : p * n);  // a vector of n belongs to all parts
  };
  for_rows(cx, io.out.rows(), io.out.cols(), [&](int64_t r) {
    for (int64_t p = 0; p < a.parts; ++p)
      cx.kernels.layer_norm(io.in[0].row(r) + p * n, of_part(1, p), of_part(2, p), io.out.row(r) + p * n, n, a.eps);
  });
}

extern const CpuOp cpu_layer_norm;
const CpuOp cpu_layer_norm = implement<LayerNorm, run>(op_layer_norm);

}  // namespace skald
