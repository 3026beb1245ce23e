#include "graph/ops/kv_append.h"

#include <algorithm>

#include "backend/cpu/ops/rowwise.h"
#include "base/checked.h"
#include "kernels/api/act_q8.h"

namespace skald {
namespace {

constexpr int64_t kMaxRun = 16;  // rows that are transposed at once

/// Rows of one sequence whose keys lie in one page.
struct Run {
  int64_t row, rows;
};

int64_t columns_of(const KernelTable& kernels, uint32_t format, int64_t d) {
  return kernels.act[format] == ActFormat::kQ8 ? round_up(d, kActQ8Block) : d;
}

// One head of one row: filled up, transformed and stored as the cache's format wants it.
void store_row(const KernelTable& kernels, uint32_t format, bool rotated, const float* x, int64_t d, float* scratch,
               std::byte* out) {
  const int64_t columns = columns_of(kernels, format, d);
  if (columns != d || rotated) {
    std::fill(std::copy_n(x, d, scratch), scratch + columns, 0.0f);
    if (rotated) kernels.hadamard(scratch, columns, hadamard_block(columns));
    x = scratch;
  }
  kernels.store[format](x, out, columns);
}

void append(const CpuContext& cx, const KvAppend& a, const OpArgs& io, Run run, int64_t head, float* scratch) {
  const TensorView &k = io.in[0], &v = io.in[1];
  const int64_t d_k = k.cols() / a.n_kv_heads, d_v = v.cols() / a.n_kv_heads;
  const KvView& kv = cx.step->kv.of_row(a.layer, run.row);
  const int64_t slot = cx.step->positions[run.row] - kv.shift;
  if (kv.k_order == KeyOrder::kDims)
    cx.kernels.store_dims[kv.k_format]({.x = k.row(run.row) + head * d_k,
                                        .x_stride = k.cols(),
                                        .keys = kv.k_page(head, slot) + slot % kPageKeys * (kv.k_stride / kPageKeys),
                                        .k_stride = kv.k_stride,
                                        .n = run.rows,
                                        .d = d_k});
  for (int64_t i = 0; i < run.rows; ++i) {
    if (kv.k_order == KeyOrder::kRows)
      store_row(cx.kernels, kv.k_format, kv.k_rotated, k.row(run.row + i) + head * d_k, d_k, scratch,
                kv.k_row(head, slot + i));
    store_row(cx.kernels, kv.v_format, kv.v_rotated, v.row(run.row + i) + head * d_v, d_v, scratch,
              kv.v_row(head, slot + i));
  }
}

int64_t scratch_floats(const KvAppend& a, const ValueDesc& k, const ValueDesc& v) {
  return round_up(std::max(k.shape[1], v.shape[1]) / a.n_kv_heads, kActQ8Block);
}

int64_t plan(const KvAppend& a, const CpuPlanArgs& args) {
  return scratch_floats(a, args.in[0], args.in[1]) * static_cast<int64_t>(sizeof(float)) * args.n_threads;
}

// The run that begins at `row`.
Run run_at(const CpuContext& cx, const KvAppend& a, int64_t row, int64_t n_rows) {
  const KvBatch& batch = cx.step->kv;
  const int64_t slot = cx.step->positions[row] - batch.of_row(a.layer, row).shift;
  const int64_t most = std::min({n_rows - row, kPageKeys - slot % kPageKeys, kMaxRun});
  int64_t rows = 1;
  while (rows < most && batch.row_seq[row + rows] == batch.row_seq[row]) ++rows;
  return {row, rows};
}

void run(CpuContext& cx, const KvAppend& a, const OpArgs& io) {
  const int64_t n_rows = io.in[0].rows(), d = std::max(io.in[0].cols(), io.in[1].cols()) / a.n_kv_heads;
  auto* scratch = reinterpret_cast<float*>(cx.scratch);
  cx.pool.ranges(a.n_kv_heads, 1, [&](int64_t begin, int64_t end, int thread) {
    float* own = scratch + thread * round_up(d, kActQ8Block);
    for (int64_t row = 0; row < n_rows;) {
      const Run part = run_at(cx, a, row, n_rows);
      for (int64_t head = begin; head < end; ++head) append(cx, a, io, part, head, own);
      row += part.rows;
    }
  });
}

}  // namespace

extern const CpuOp cpu_kv_append;
const CpuOp cpu_kv_append = implement<KvAppend, run, plan>(op_kv_append);

}  // namespace skald
