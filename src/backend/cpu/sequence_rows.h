// The rows of a step, sequence by sequence: in the order in which operations with recurrent states take them.
#pragma once

#include <cstdint>

#include "backend/cpu/ops/rowwise.h"
#include "kernels/api/kv_view.h"

namespace skald {

struct SequenceRows {
  int64_t first, n;  // rows of the step; they are neighbours
  int32_t sequence;
};

/// body(rows) for each sequence of the step.
template <class Body>
void for_sequences(const KvBatch& batch, int64_t n_rows, Body&& body) {
  for (int64_t row = 0; row < n_rows;) {
    SequenceRows rows{.first = row, .n = 1, .sequence = batch.row_seq[row]};
    while (row + rows.n < n_rows && batch.row_seq[row + rows.n] == rows.sequence) ++rows.n;
    body(rows);
    row += rows.n;
  }
}

/// body(head, rows, scratch) for each head and sequence of the step. `work`: of a row and a head, in elements; `scratch`:
/// the thread's `scratch_floats` of the operation's.
template <class Body>
void for_head_sequences(CpuContext& cx, int64_t heads, int64_t n_rows, int64_t work, int64_t scratch_floats, Body&& body) {
  auto* scratch = reinterpret_cast<float*>(cx.scratch);
  const auto some = [&](int64_t begin, int64_t end, int thread) {
    for (int64_t head = begin; head < end; ++head)
      for_sequences(cx.step->kv, n_rows,
                    [&](const SequenceRows& rows) { body(head, rows, scratch + thread * scratch_floats); });
  };
  if (n_rows * heads * work < kForkElements)
    some(0, heads, 0);
  else
    cx.pool.ranges(heads, 1, some);
}

}  // namespace skald
