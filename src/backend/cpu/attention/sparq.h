// Sparse attention of one decode row on one KV head: a selector chooses keys, which are attended to exactly (SparQ, arXiv
// 2312.04985). The selector works in stages that are cut into parts, so that threads can share a row where heads are few.
// The result does not depend on how many of them do.
#pragma once

#include <span>
#include <variant>

#include "backend/cpu/attention/decode.h"
#include "backend/cpu/attention/page_select.h"
#include "backend/cpu/attention/sparq_select.h"
#include "base/thread_pool.h"

namespace skald {

struct SparqScratch {
  SparqScratch(const AttentionJob& job, Scratch& scratch);
  DecodeScratch dense;
  SparqSelectorScratch selector;
  PageBoundsScratch bounds;
  float* parts;           // states of all parts of the chosen keys
  float *mean, *run_sum;  // (d_v): sums of values, of all and of a run
  std::byte* key_rows;    // gather_row_bytes
  float* dense_out;       // (n_heads, d_v): a row's results with all keys
};

class SparqRow {
 public:
  /// For parameters that choose some of the row's keys. `width`: ways to cut keys where the result does not depend on it.
  SparqRow(const AttentionJob& job, const SparqPolicy& policy, const KvView& kv, int64_t row, int64_t kv_head,
           const SparqScratch& s, int64_t width);

  /// Stages run in order, the parts of each in any; key_rows (gather_row_bytes) belongs to the thread that runs the part.
  size_t stages() const;
  int64_t parts(size_t stage) const;
  void run(size_t stage, int64_t part, std::byte* key_rows);
  /// Returns the counter of a stage's time.
  std::atomic<int64_t> SparqTimes::*step(size_t stage) const;

 private:
  size_t attend_stage() const;
  void attend(int64_t part, std::byte* key_rows) const;
  void finish() const;
  void count_reads() const;
  void mix_mean(const SoftmaxState& state) const;
  SoftmaxState state(int64_t part) const;
  RowQueries queries() const;
  KeySelector& selector();
  const KeySelector& selector() const;

  const AttentionJob& job_;
  const KvView& kv_;
  int64_t row_, head_;
  Candidates candidates_;
  SparqScratch s_;
  std::variant<SparqSelector, PageSelector> selector_;
};

void attend_row_sparsely(const AttentionJob& job, const SparqPolicy& policy, const KvView& kv, int64_t row, int64_t kv_head,
                         const SparqScratch& s);

/// Notes in the policy's errors, if it has some, the difference between the row's results and those with all keys.
void measure_row(const AttentionJob& job, const SparqPolicy& policy, const KvView& kv, int64_t row, int64_t kv_head,
                 SparqScratch& s);

/// All threads on all rows, stage by stage; key_rows: each thread's.
void attend_rows_together(ThreadPool& pool, SparqTimes* times, std::span<SparqRow> rows,
                          std::span<std::byte* const> key_rows);

}  // namespace skald
