// Gather: exact attention of one row on one KV head to keys that a selector has chosen. It knows their places alone, not how
// they were chosen. Bound: read bandwidth of single rows.
#pragma once

#include "backend/cpu/attention/job.h"
#include "backend/cpu/attention/pages.h"
#include "backend/cpu/attention/state.h"

namespace skald {

/// Keys are worked on in parts of this many, each apart from the others. Parts are merged in order, so that a result does
/// not depend on the threads that worked on them.
inline constexpr int64_t kGatherKeys = 256;
constexpr int64_t gather_parts(int64_t keys) { return ceil_div(keys, kGatherKeys); }

/// Returns the bytes of the rows that keys by dimensions become, a few at a time, or of the scores of a page's codes.
inline int64_t gather_row_bytes(const AttentionJob& job) {
  return kPageKeys * std::max(job.a.d_k, job.group()) * static_cast<int64_t>(sizeof(float));
}

/// Queries that meet the kept keys, and all others.
struct RowQueries {
  GroupQueries others, kept;
};

class Gather {
 public:
  /// `keys`: n candidates, ascending.
  Gather(const AttentionJob& job, const KvView& kv, int64_t row, int64_t kv_head, const Candidates& candidates,
         const int32_t* keys, int64_t n)
      : job_(job), kv_(kv), row_(row), head_(kv_head), candidates_(candidates), keys_(keys), n_(n) {}

  /// state = the sums of the part's keys; scores: (group, stride), from column 0 on; key_rows: gather_row_bytes.
  void attend(int64_t part, const RowQueries& queries, float* scores, int64_t stride, std::byte* key_rows,
              const SoftmaxState& state) const;

 private:
  struct Part {
    const int32_t* keys;
    int64_t n;
  };
  using Rows = const std::byte * [kGatherKeys + kRowsAhead];
  // scores of the part's keys, with cap and bias
  void score(int64_t part, const RowQueries& queries, float* scores, int64_t stride, std::byte* key_rows) const;

  Part part(int64_t i) const;
  void point_at_keys(const Part& part, const std::byte** rows) const;
  void point_at_values(const Part& part, const std::byte** rows) const;
  void score_rows_of(const int32_t* keys, int64_t n, const std::byte* const* rows, const GroupQueries& queries,
                     float* scores, int64_t stride, std::byte* key_rows) const;
  template <class T>
  void copy_key(int64_t slot, std::byte* row) const;
  void score_coded(const int32_t* keys, int64_t n, const std::byte* const* rows, const GroupQueries& queries, float* scores,
                   int64_t stride, std::byte* key_rows) const;
  void score_some_of_page(const int32_t* keys, int64_t n, const GroupQueries& queries, float* scores, int64_t stride,
                          float* page) const;
  const std::byte* key_at(int32_t key) const;
  void adjust(const Part& part, int64_t kept, float* scores, int64_t stride) const;

  const AttentionJob& job_;
  const KvView& kv_;
  int64_t row_, head_;
  const Candidates& candidates_;
  const int32_t* keys_;
  int64_t n_;
};

}  // namespace skald
