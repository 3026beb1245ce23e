// SparqSelector: chooses the best keys of a row on one KV head by their approximate scores (SparQ, arXiv 2312.04985).
#pragma once

#include <span>

#include "backend/cpu/attention/key_selector.h"
#include "backend/cpu/attention/page_bounds.h"
#include "backend/cpu/attention/sparq_scores.h"
#include "skald/sparq_params.h"

namespace skald {

struct SparqSelectorScratch {
  SparqSelectorScratch(const AttentionJob& job, int64_t capacity, Scratch& scratch);
  SparqScoresScratch scores;        // which become weights
  float* rank;                      // (capacity)
  float *largest, *sums;            // (chunks, group): of the softmax of each; the former become chunks' shares of all
  float *alphas, *picked_rank;      // (group); (capacity)
  int32_t *keys, *picked, *select;  // (capacity), (capacity), select_top's own
  uint8_t* skip;                    // (pages): whether a page's keys are not scored
};

class SparqSelector final : public KeySelector {
 public:
  /// `width`: ways to cut keys where a result does not depend on it.
  SparqSelector(const AttentionJob& job, const SparqPolicy& policy, const KvView& kv, int64_t row, int64_t kv_head,
                const Candidates& candidates, const SparqSelectorScratch& s, const PageBoundsScratch& pages, int64_t width);

  size_t stages() const override { return table().size(); }
  int64_t parts(size_t stage) const override { return (this->*table()[stage].parts)(); }
  void run(size_t stage, int64_t part) override { (this->*table()[stage].run)(part); }
  bool scores(size_t stage) const override { return table()[stage].scores; }

  const int32_t* keys() const override { return s_.keys; }
  int64_t n_keys() const override { return choice_.k2; }
  const float* alphas() const override { return mean_ && choice_.k2 < candidates_.n ? s_.alphas : nullptr; }
  double bytes_read() const override;

 private:
  struct Stage {
    int64_t (SparqSelector::*parts)() const;
    void (SparqSelector::*run)(int64_t part);
    bool scores;
  };
  static std::span<const Stage> table();

  int64_t group() const { return job_.group(); }
  int64_t free() const { return candidates_.n - choice_.local; }  // candidates that are not kept in any case
  int64_t chunks() const;
  // Sums of weights rather than scores rank the keys of a group.
  bool ranks_weights() const { return group() > 1; }

  int64_t one() const { return 1; }
  int64_t width() const { return width_; }
  int64_t rank_chunks() const { return ranks_weights() ? chunks() : 0; }
  int64_t rank_once() const { return ranks_weights(); }
  int64_t mean_chunks() const { return !ranks_weights() && mean_ ? chunks() : 0; }
  int64_t mean_once() const { return !ranks_weights() && mean_; }
  int64_t once_for_mean() const { return mean_; }
  int64_t once_for_pages() const { return choice_.pages > 0; }

  void choose_pages(int64_t);
  void choose_components(int64_t) { scores_.choose_components(); }
  void score(int64_t part) { scores_.find(part, width_, skip()); }
  void weigh_chunk(int64_t chunk);
  void finish_shares(int64_t);
  void rank_chunk(int64_t chunk);
  void select(int64_t part);
  void choose(int64_t);
  void find_alphas(int64_t);

  const uint8_t* skip() const { return choice_.pages > 0 ? s_.skip : nullptr; }
  int64_t first_of(int64_t part) const { return free() * part / width_; }
  float* rank() const { return ranks_weights() ? s_.rank : scores_.of(0); }
  template <int kHeads>
  void find_alphas_of(int64_t g) const;
  void add_group(const float* rows, const float* x, int64_t n, float* y) const;

  const AttentionJob& job_;
  Candidates candidates_;
  SparqSelectorScratch s_;
  int64_t width_;
  KeySize size_;
  SparqParams::Choice choice_;
  bool mean_;
  SparqScores scores_;
  PageBounds bounds_;
};

}  // namespace skald
