#include "graph/ops/head_linear.h"

#include <algorithm>

#include "backend/cpu/low_rank.h"
#include "backend/cpu/matmul.h"
#include "base/checked.h"
#include "base/error.h"

namespace skald {
namespace {

// Each head of each token is a row of its own: (tokens, heads * k) is (tokens * heads, k).
Shape split_rows(const Shape& x, int64_t heads) { return Shape{x[0] * heads, x[1] / heads}; }

int64_t order_bytes(const Shape& rows) { return round_up(rows[0] * static_cast<int64_t>(sizeof(int32_t)), 64); }

int64_t plan(const NoAttrs&, const CpuPlanArgs& args) {
  const Shape rows = split_rows(args.in[0].shape, args.in[1].shape[0]);
  return order_bytes(rows) + picked_scratch(args.kernels, rows, rows[0], args.views[1]);
}

// The rows sorted by heads, so that each matrix is read once.
std::span<const int32_t> by_heads(int64_t tokens, int64_t heads, std::byte* scratch) {
  const std::span<int32_t> order(reinterpret_cast<int32_t*>(scratch), static_cast<size_t>(tokens * heads));
  for (int64_t h = 0, i = 0; h < heads; ++h)
    for (int64_t t = 0; t < tokens; ++t, ++i) order[static_cast<size_t>(i)] = static_cast<int32_t>(t * heads + h);
  return order;
}

// One head of each row.
TensorView head_of(TensorView x, int64_t head, int64_t heads) {
  const int64_t n = x.cols() / heads;
  x.slice_stride = x.row_stride();
  x.data += head * n * static_cast<int64_t>(sizeof(float));
  x.desc.shape = Shape{x.rows(), n};
  return x;
}

void run(CpuContext& cx, const NoAttrs&, const OpArgs& io) {
  const TensorView &w = io.in[1], &y = io.out;
  const int64_t heads = w.shape()[0], n = w.shape()[1], tokens = y.rows(), grains = ceil_div(n, kOutputGrain);
  TensorView rows = io.in[0];
  SKALD_ASSERT(rows.row_step() == rows.cols());  // no columns of a wider value
  rows.desc.shape = split_rows(rows.shape(), heads);
  const MatmulInput x =
      prepare_picked(cx, rows, by_heads(tokens, heads, cx.scratch), w, cx.scratch + order_bytes(rows.shape()));
  LowRankPass adapters(cx);
  for (int64_t h = 0; h < heads; ++h) adapters.add(static_cast<size_t>(h), 1, head_of(io.in[0], h, heads), h);
  adapters.guided(cx.pool, heads * grains, 1, [&](int64_t begin, int64_t end, int) {
    for (int64_t at = begin, next; at < end; at = next) {
      const int64_t h = at / grains, from = at % grains * kOutputGrain;
      next = std::min(end, (h + 1) * grains);
      const int64_t to = std::min(n, from + (next - at) * kOutputGrain);
      float* const out = y.as<float>() + h * n + from;
      multiply(cx.kernels, matrix_of(w, h), from_row(x, h * tokens), tokens, from, to, out, y.row_step());
      adapters.up(static_cast<size_t>(h), from, to, out, y.row_step());
    }
  });
}

}  // namespace

extern const CpuOp cpu_head_linear;
const CpuOp cpu_head_linear = implement<NoAttrs, run, plan>(op_head_linear);

}  // namespace skald
