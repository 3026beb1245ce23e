// AttentionJob: one attention call on the CPU: its operands, which may be any distance apart, and the shared data of its
// tasks.
#pragma once

#include <algorithm>

#include "backend/candidates.h"
#include "backend/cpu/attention/index_basis.h"
#include "backend/scratch.h"
#include "backend/sparq_reads.h"
#include "backend/sparq_times.h"
#include "base/checked.h"
#include "graph/ops/attention.h"
#include "kernels/api/act_q8.h"
#include "kernels/api/kernel_table.h"
#include "kernels/api/kv_view.h"
#include "quant/registry.h"
#include "skald/sparq_params.h"

namespace skald {

/// Queries or results: element c of head h of row r is data[r * row + h * head + c].
struct HeadsView {
  float* data = nullptr;
  int64_t row = 0, head = 0;
  float* at(int64_t r, int64_t h) const { return data + r * row + h * head; }
};

/// Returns whether the cache holds numbers of this format in blocks with scales.
inline bool has_blocks(const KernelTable& kernels, uint32_t format) { return kernels.score_act[format] == ActFormat::kQ8; }

/// Elements of a cached key or value of d numbers: blocks are filled up.
inline int64_t cached_columns(const KernelTable& kernels, uint32_t format, int64_t d) {
  return has_blocks(kernels, format) ? round_up(d, kActQ8Block) : d;
}

/// Biases of scores by the distance key - query: (heads, 2 * reach + 1); beyond the reach, that at its end.
struct DistanceBiases {
  const float* data = nullptr;  // null: there are none
  int64_t reach = 0;

  DistanceBiases() = default;
  explicit DistanceBiases(const TensorView& t) : data(t.as()), reach(t.cols() / 2) {}
  /// Added to the scores of n consecutive keys, of which the first is at this distance.
  void add(int64_t head, int64_t first, int64_t n, float* scores) const {
    const float* middle = data + head * (2 * reach + 1) + reach;
    const int64_t near = std::clamp<int64_t>(-reach - first, 0, n), far = std::clamp<int64_t>(reach - first, near, n);
    for (int64_t i = 0; i < near; ++i) scores[i] += middle[-reach];
    for (int64_t i = near; i < far; ++i) scores[i] += middle[first + i];
    for (int64_t i = far; i < n; ++i) scores[i] += middle[reach];
  }
};

struct AttentionJob {
  const KernelTable& kernels;
  const Attention& a;
  HeadsView q = {}, q_kept = {}, out = {};  // q_kept.data null: kept keys meet q
  const float* sink_logits = nullptr;       // (n_heads)
  const float* slopes = nullptr;            // (n_heads): ALiBi's; null without
  DistanceBiases biases = {};
  IndexBasis basis = {};               // of the key index
  const int32_t* positions = nullptr;  // (rows of the step)
  const int32_t* rows = nullptr;       // (rows): their numbers in the step; null: all of the step's
  SparqTimes* sparq_times = nullptr;
  SparqReads* sparq_reads = nullptr;

  int64_t step_row(int64_t row) const { return rows ? rows[row] : row; }
  int32_t position(int64_t row) const { return positions[step_row(row)]; }
  float slope(int64_t head) const { return slopes ? slopes[head] : 0; }
  int64_t group() const { return a.n_heads / a.n_kv_heads; }
  // Rows of scratch are as long as any format and the panels of prefill need.
  int64_t q_stride() const { return round_up(a.d_k, kPanel); }
  int64_t out_stride() const { return round_up(a.d_v, kPanel); }
  /// The first slot of the row's own page. With codes (KvView::k_codes), the row meets the keys before it by their codes and
  /// the others as they came: that depends on positions alone, so that no cut into steps changes a bit.
  int64_t own_page(const KvView& kv, int64_t row) const {
    const int64_t slot = position(row) - kv.shift;
    return slot - slot % kPageKeys;
  }
  int64_t key_columns(const KvView& kv) const { return cached_columns(kernels, kv.k_format, a.d_k); }
  int64_t value_columns(const KvView& kv) const { return cached_columns(kernels, kv.v_format, a.d_v); }
  KeySize key_size(const KvView& kv) const { return skald::key_size(a, kv); }
  /// Returns the numbers to read for a row that sees n keys.
  SparqParams::Choice choice(const SparqPolicy& policy, const KeySize& size, int64_t head, int64_t n) const {
    return choose(a, policy, size, head, n);
  }
};

inline SlotRange visible(const AttentionJob& job, const KvView& kv, int64_t row) {
  return visible(job.a.window, kv, job.position(row));
}
inline Candidates candidates_of(const AttentionJob& job, const KvView& kv, int64_t row) {
  return {job.a.window, kv, job.position(row)};
}

}  // namespace skald
