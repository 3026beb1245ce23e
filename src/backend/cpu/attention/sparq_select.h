// SparqSelector: chooses the best keys of a row on one KV head by their approximate scores (SparQ, arXiv 2312.04985). It
// works in stages, each of which is cut into parts that may run side by side; what it finds does not depend on how they were
// cut.
#pragma once

#include <span>

#include "backend/cpu/attention/sparq_scores.h"
#include "skald/sparq_params.h"

namespace skald {

/// Ways in which keys may be cut at the most.
inline constexpr int64_t kMaxSparqWidth = 64;

struct SelectorScratch {
  SelectorScratch(const AttentionJob& job, int64_t capacity, Scratch& scratch);
  SparqScoresScratch scores;  // which become weights
  float* rank;                // (capacity)
  float *largest, *sums;      // (chunks, group): of the softmax of each; the former become chunks' shares of all
  float *all_largest, *all_sums, *exact_shares, *alphas;  // (group)
  float *exact, *again;  // of the best keys by the index: (group, capacity), scores or a group's weights; (capacity), ranks
  int32_t *keys, *picked, *select;  // (capacity), (capacity), select_top's own
};

class SparqSelector {
 public:
  /// `width`: ways to cut keys where a result does not depend on it.
  SparqSelector(const AttentionJob& job, const SparqParams& params, const KvView& kv, int64_t row, int64_t kv_head,
                const Candidates& candidates, const SelectorScratch& s, int64_t width);

  struct Stage {
    int64_t (SparqSelector::*parts)() const;
    void (SparqSelector::*run)(int64_t part, std::byte* key_rows);
    bool scores;  // step one; else the choice
  };
  /// To be run in order; key_rows (gather_row_bytes) belongs to whoever runs the part.
  static std::span<const Stage> stages();

  bool uses_mean() const { return mean_; }
  int64_t n_keys() const { return choice_.k2; }
  int64_t k1() const { return choice_.k1; }
  const int32_t* keys() const { return s_.keys; }  // (n_keys), ascending
  /// (group), if uses_mean(): the share of the softmax of all scores that the chosen keys have.
  const float* alphas() const { return s_.alphas; }

 private:
  int64_t group() const { return job_.group(); }
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

  void choose_components(int64_t, std::byte*) { scores_.choose_components(); }
  void score(int64_t part, std::byte*) { scores_.find(part, width_); }
  void weigh_chunk(int64_t chunk, std::byte*);
  void finish_shares(int64_t, std::byte*);
  void rank_chunk(int64_t chunk, std::byte*);
  void select(int64_t part, std::byte*);
  void choose(int64_t, std::byte*);
  void rescore(int64_t part, std::byte* key_rows);
  void choose_again(int64_t, std::byte*);
  void find_alphas(int64_t, std::byte*);

  int64_t first_of(int64_t part) const { return free() * part / width_; }
  void append_recent(int64_t n, int64_t first, int32_t* keys) const;
  float* rank() const { return group() == 1 ? scores_.of(0) : s_.rank; }
  float* replace_scores() const;
  float* sum_again() const;
  float weight_of_keys(int64_t g, int64_t n) const;
  float alpha(int64_t g) const;
  void add_group(const float* rows, const float* x, int64_t n, float* y) const;
  void weigh(float* x, int64_t rows, int64_t n, float* largest, float* sum) const;

  const AttentionJob& job_;
  const KvView& kv_;
  int64_t row_, head_;
  Candidates candidates_;
  SelectorScratch s_;
  int64_t width_;
  SparqParams::Choice choice_;
  bool mean_;
  SparqScores scores_;
  int64_t some_;  // keys that are ranked by approximate scores
};

}  // namespace skald
