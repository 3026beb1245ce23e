// Rows of attention among those of the step.
#pragma once

#include "kernels/gpu/args.h"
#include "kernels/gpu/simt.h"

namespace skald::gpu {

SIMT_DEV int64_t step_row(const AttentionArgs& a, int64_t row) { return a.numbers ? a.numbers[row] : row; }

/// Whether a row attends to few keys on a KV head, and to them alone: see attention_chosen.cu.
SIMT_DEV bool is_sparse(const AttentionArgs& a, int64_t row, int64_t kv_head) {
  if (!a.sparse.count.at) return false;
  const int at = a.sparse.numbers[step_row(a, row)];
  return at >= 0 && a.sparse.heads[at * (a.heads / a.group) + kv_head].k2 > 0 && !a.sparse.rows[at].measured;
}

}  // namespace skald::gpu
