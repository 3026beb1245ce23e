// SparqSelector: a few query components score all keys of a row on one KV head, and the best keys are chosen (SparQ, arXiv
// 2312.04985). It works in stages, each of which is cut into parts that may run side by side; what it finds does not depend
// on how they were cut. Bound: read bandwidth of the chosen dimensions.
#pragma once

#include <span>

#include "backend/cpu/attention/gather.h"
#include "skald/sparq_params.h"

namespace skald {

/// Ways in which keys may be cut at the most.
inline constexpr int64_t kMaxSparqWidth = 64;

struct SelectorScratch {
  SelectorScratch(const AttentionJob& job, int64_t capacity, Scratch& scratch);
  float *plain, *magnitude;  // (group, q_stride): queries as the index has them; (d_k)
  int32_t* dims;             // (d_k)
  struct Masked {
    float* q;  // (group, q_stride): with the chosen dimensions only
    std::byte* codes;
    float* chosen;  // (group, d_k): these alone
  };
  Masked masked, masked_kept;  // of the row's queries, and of those that meet kept keys
  float *scores, *rank;        // (group, capacity), which become weights; (capacity)
  float *largest, *sums;       // (chunks, group): of the softmax of each; the former become chunks' shares of all
  float *all_largest, *all_sums, *exact_shares, *alphas;  // (group)
  float *exact, *again;  // of the best keys by the index: (group, capacity), scores or a group's weights; (capacity), ranks
  int32_t *keys, *picked, *select;  // (capacity), (capacity), select_top's own
};

class SparqSelector {
 public:
  /// `width`: ways to cut keys where a result does not depend on it. `capacity`: SparqScratch's.
  SparqSelector(const AttentionJob& job, const SparqParams& params, const KvView& kv, int64_t row, int64_t kv_head,
                const Candidates& candidates, const SelectorScratch& s, int64_t capacity, int64_t width);

  struct Stage {
    int64_t (SparqSelector::*parts)() const;
    void (SparqSelector::*run)(int64_t part, std::byte* key_rows);
    bool scores;  // step one; else the choice
  };
  /// To be run in order; key_rows (gather_row_bytes) belongs to whoever runs the part.
  static std::span<const Stage> stages();

  /// All keys are to be kept: there is nothing to choose.
  bool keeps_all() const { return choice_.k2 >= candidates_.n; }
  bool uses_mean() const { return mean_; }
  int64_t n_keys() const { return choice_.k2; }
  const int32_t* keys() const { return s_.keys; }  // (n_keys), ascending
  /// (group), if uses_mean(): the share of the softmax of all scores that the chosen keys have.
  const float* alphas() const { return s_.alphas; }
  /// (group, capacity): scores, needed no more once all stages have run.
  float* used_scores() const { return s_.scores; }

 private:
  int64_t group() const { return job_.group(); }
  float* scores(int64_t g) const { return s_.scores + g * capacity_ + first_; }  // of candidate 0
  float* first_page() const;
  int64_t free() const { return candidates_.n - choice_.local; }  // candidates that are not kept in any case
  int64_t chunks() const;
  bool ranks_are_exact() const;
  bool ranked_again() const { return some_ > choice_.k2; }

  int64_t one() const { return 1; }
  int64_t width() const { return width_; }
  int64_t group_chunks() const { return group() > 1 ? chunks() : 0; }
  int64_t group_once() const { return group() > 1; }
  int64_t mean_chunks() const { return group() == 1 && mean_ ? chunks() : 0; }
  int64_t mean_once() const { return group() == 1 && mean_; }
  int64_t once_for_mean() const { return mean_; }
  int64_t rescored() const { return ranked_again() ? gather_parts(some_) : 0; }
  int64_t rechosen() const { return ranked_again(); }

  void prepare(int64_t, std::byte*);
  void score(int64_t part, std::byte*);
  void weigh_chunk(int64_t chunk, std::byte*);
  void settle_shares(int64_t, std::byte*);
  void rank_chunk(int64_t chunk, std::byte*);
  void select(int64_t part, std::byte*);
  void choose(int64_t, std::byte*);
  void rescore(int64_t part, std::byte* key_rows);
  void choose_again(int64_t, std::byte*);
  void find_alphas(int64_t, std::byte*);

  void load_plain(const HeadsView& from) const;
  void choose_components() const;
  void mask_queries(const SelectorScratch::Masked& masked) const;
  RowQueries masked_queries() const;
  void score_others(int64_t from, int64_t to) const;
  void score_kept() const;
  void adjust(int64_t first, int64_t n, int64_t shift) const;
  void score_span(int64_t from, int64_t to, int64_t shift, const SelectorScratch::Masked& masked, float* out) const;
  int64_t score_run(int64_t slot, int64_t end, int64_t position, const float* q, float* out) const;
  int64_t first_of(int64_t part) const { return free() * part / width_; }
  void append_recent(int64_t n, int64_t first, int32_t* keys) const;
  float* rank() const { return group() == 1 ? scores(0) : s_.rank; }
  float* replace_scores() const;
  float* sum_again() const;
  float weight(int64_t g, int64_t candidate) const;
  float alpha(int64_t g) const;
  void add_group(const float* rows, const float* x, int64_t n, float* y) const;
  void weigh(float* x, int64_t rows, int64_t n, float* largest, float* sum) const;

  const AttentionJob& job_;
  const KvView& kv_;
  int64_t row_, head_;
  Candidates candidates_;
  SelectorScratch s_;
  int64_t capacity_, width_;
  SparqParams::Choice choice_;
  bool mean_, by_index_;
  int64_t some_;   // keys that are ranked by the index
  int64_t first_;  // where the scores of head 0 begin
};

}  // namespace skald
