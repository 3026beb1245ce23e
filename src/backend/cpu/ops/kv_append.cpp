#include "graph/ops/kv_append.h"

#include <algorithm>
#include <array>
#include <utility>

#include "backend/cpu/attention/job.h"
#include "backend/cpu/attention/page_bounds.h"
#include "backend/cpu/attention/unpack_keys.h"
#include "backend/cpu/attention/value_sums.h"
#include "backend/cpu/ops/rowwise.h"

namespace skald {
namespace {

constexpr int64_t kMostRows = 16;  // rows that are transposed at once

/// Rows of one sequence whose keys lie in one page.
struct PageRows {
  int64_t row, rows;
  bool first, last;  // of the sequence's in this step
};

// One head of one row: filled up, transformed and stored as the cache's format wants it.
void store_row(const KernelTable& kernels, uint32_t format, bool rotated, const float* x, int64_t d, float* scratch,
               std::byte* out) {
  const int64_t columns = cached_columns(kernels, format, d);
  if (columns != d || rotated) {
    std::fill(std::copy_n(x, d, scratch), scratch + columns, 0.0f);
    if (rotated) kernels.hadamard(scratch, columns, hadamard_block(columns));
    x = scratch;
  }
  kernels.store[format](x, out, columns);
}

// A full page's keys become codes.
void store_codes(const KernelTable& kernels, const KvView& kv, int64_t head, int64_t slot, int64_t d_k) {
  kernels.store_codes[static_cast<size_t>(kv.k_codes)]({.keys = kv.open_page(head, slot),
                                                        .k_stride = kv.open.stride,
                                                        .d = d_k,
                                                        .order = kv.k_order,
                                                        .page = kv.k_page(head, slot)});
}

// Copies a full page's keys into the index, by its basis if it has one, and finds their bounds, as they were before the
// cache's transform.
void index_page(const KernelTable& kernels, const KvView& kv, const IndexBasis& basis, int64_t head, int64_t slot,
                int64_t d_k, float* panels) {
  int64_t columns = cached_columns(kernels, kv.k_format, d_k);
  const int64_t position = slot + kv.shift;
  (kv.k_codes == KeyCodes::kNone ? unpack_keys : unpack_open_keys)(kernels, kv, head, slot, columns, panels);
  const KeyIndexView& index = kv.index;
  if (index.has_bounds()) store_bounds(kv, head, position, panels, columns, d_k);
  if (index.kind == KeyIndex::kNone) return;
  if (basis) {
    float* whole = std::exchange(panels, panels + columns * kPageKeys);
    basis.turn_page(head, whole, std::exchange(columns, d_k), panels);
  }
  const IndexRun& run = index.run_of(position);
  kernels.store_index[static_cast<size_t>(index.kind)]({.panels = panels,
                                                        .panel_d = columns,
                                                        .d = d_k,
                                                        .run = index.head(run, head),
                                                        .run_keys = index.place(run.length).run_keys,
                                                        .first = position - run.base});
}

void append(const CpuContext& cx, const KvAppend& a, const OpArgs& io, PageRows rows, int64_t head, float* scratch) {
  const TensorView& k = io.in[0];
  const TensorView* v = a.stored(io.in.size()) == 2 ? &io.in[1] : nullptr;
  const int64_t d_k = k.cols() / a.n_kv_heads, d_v = v ? v->cols() / a.n_kv_heads : 0;
  const KvView& kv = cx.step->kv.of_row(a.slot, rows.row);
  const int64_t position = cx.step->positions[rows.row], slot = position - kv.shift;
  const ValueSums sums{cx.kernels, kv, head, cached_columns(cx.kernels, kv.v_format, d_v)};
  if (rows.first) sums.accumulate(position);
  const bool coded = kv.k_codes != KeyCodes::kNone;
  if (!coded && kv.k_order == KeyOrder::kDims)
    cx.kernels.store_dims[kv.k_format]({.x = k.row(rows.row) + head * d_k,
                                        .x_stride = k.row_step(),
                                        .keys = kv.k_page(head, slot) + slot % kPageKeys * (kv.k_stride / kPageKeys),
                                        .k_stride = kv.k_stride,
                                        .n = rows.rows,
                                        .d = d_k});
  for (int64_t i = 0; i < rows.rows; ++i) {
    const float* key = k.row(rows.row + i) + head * d_k;
    if (coded || kv.k_order == KeyOrder::kRows) {
      std::byte* const to = coded ? kv.open_row(head, slot + i) : kv.k_row(head, slot + i);
      store_row(cx.kernels, kv.k_format, kv.k_rotated, key, d_k, scratch, to);
    }
    if (!v) continue;
    const float* value = v->row(rows.row + i) + head * d_v;
    store_row(cx.kernels, kv.v_format, kv.v_rotated, value, d_v, scratch, kv.v_row(head, slot + i));
  }
  // Of a step of generated tokens, each row's mean ends with its own value: their attention adds them. But a block that is
  // full is summed up while its run is this sequence's own.
  const bool alone = rows.first && rows.last && rows.rows == 1;
  if (!kv.decode || (alone && sums.ends_block(position + 1))) sums.accumulate(position + rows.rows);
  if ((slot + rows.rows) % kPageKeys) return;
  const int64_t page = slot + rows.rows - kPageKeys;
  if (coded) store_codes(cx.kernels, kv, head, page, d_k);
  if (kv.index.kind != KeyIndex::kNone || kv.index.has_bounds())
    index_page(cx.kernels, kv, a.basis ? IndexBasis(cx.kernels, io.in.back()) : IndexBasis(), head, page, d_k, scratch);
}

// Of one thread: a row filled up, or a page of keys in panels, and the same by a basis.
int64_t scratch_floats(const KvAppend& a, int64_t widest) {
  return round_up(widest, kActQ8Block) * kPageKeys * (a.basis ? 2 : 1);
}

int64_t plan(const KvAppend& a, const CpuPlanArgs& args) {
  int64_t widest = 0;
  for (const ValueDesc& x : args.in.first(a.stored(args.in.size()))) widest = std::max(widest, x.shape[1] / a.n_kv_heads);
  return scratch_floats(a, widest) * static_cast<int64_t>(sizeof(float)) * args.n_threads;
}

// The rows of a page that begin at `row`.
PageRows rows_at(const CpuContext& cx, const KvAppend& a, int64_t row, int64_t n_rows) {
  const KvBatch& batch = cx.step->kv;
  const int64_t slot = cx.step->positions[row] - batch.of_row(a.slot, row).shift;
  // A page is a part of one run of the index.
  const int64_t most = std::min({n_rows - row, kPageKeys - slot % kPageKeys, kMostRows});
  int64_t rows = 1;
  while (rows < most && batch.row_seq[row + rows] == batch.row_seq[row]) ++rows;
  const auto another = [&](int64_t other) {
    return other < 0 || other == n_rows || batch.row_seq[other] != batch.row_seq[row];
  };
  return {row, rows, another(row - 1), another(row + rows)};
}

void run(CpuContext& cx, const KvAppend& a, const OpArgs& io) {
  const int64_t n_rows = io.in[0].rows();
  int64_t columns = 0, d = 0;
  for (const TensorView& x : io.in.first(a.stored(io.in.size()))) {
    columns += x.cols();
    d = std::max(d, x.cols() / a.n_kv_heads);
  }
  auto* scratch = reinterpret_cast<float*>(cx.scratch);
  const auto heads = [&](int64_t begin, int64_t end, int thread) {
    float* own = scratch + thread * scratch_floats(a, d);
    for (int64_t row = 0; row < n_rows;) {
      const PageRows part = rows_at(cx, a, row, n_rows);
      for (int64_t head = begin; head < end; ++head) append(cx, a, io, part, head, own);
      row += part.rows;
    }
  };
  if (n_rows * columns < kForkElements)
    heads(0, a.n_kv_heads, 0);
  else
    cx.pool.ranges(a.n_kv_heads, 1, heads);
}

}  // namespace

extern const CpuOp cpu_kv_append;
const CpuOp cpu_kv_append = implement<KvAppend, run, plan>(op_kv_append);

}  // namespace skald
