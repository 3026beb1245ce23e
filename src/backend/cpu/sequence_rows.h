// The rows of a step, sequence by sequence: what operations with recurrent states walk along.
#pragma once

#include <cstdint>

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

}  // namespace skald
