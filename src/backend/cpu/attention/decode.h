// Attention of one row on one KV head, page by page. Each page is read once for the whole query group.
#pragma once

#include "backend/cpu/attention/job.h"
#include "backend/cpu/attention/state.h"

namespace skald {

/// What a decode task needs of scratch memory.
struct DecodeScratch {
  DecodeScratch(const AttentionJob& job, Scratch& scratch);
  float *q, *q_kept;              // (group, q_stride)
  std::byte *codes, *codes_kept;  // their codes, for keys of integers
  float* scores;                  // (group, kPageKeys)
  SoftmaxState part, total;       // of the group
};

/// Part 0 of a row's keys are the kept ones; part i > 0 is the i-th of those that the row sees behind them (see split.h).
int64_t count_parts(const AttentionJob& job, const KvView& kv, int64_t row);

/// Reads the row's queries; to be called before its parts are attended to.
void load_row(const AttentionJob& job, const KvView& kv, int64_t row, int64_t kv_head, DecodeScratch& s);

/// Attends to one part: `state` becomes what its keys give.
void attend_part(const AttentionJob& job, const KvView& kv, int64_t row, int64_t kv_head, int64_t part, DecodeScratch& s,
                 const SoftmaxState& state);

/// Results of the group's heads from the merged state; `queries` is the first of them in the state.
void finish_group(const AttentionJob& job, const KvView& kv, int64_t row, int64_t kv_head, const SoftmaxState& state,
                  int64_t first);

/// All parts, merged in order.
void attend_row(const AttentionJob& job, const KvView& kv, int64_t row, int64_t kv_head, DecodeScratch& s);

}  // namespace skald
