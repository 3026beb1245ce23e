// PageSelector: chooses whole pages of a row's keys on one KV head by the largest scores that their keys can have (Quest,
// arXiv 2406.10774).
#pragma once

#include "backend/cpu/attention/key_selector.h"
#include "backend/cpu/attention/page_bounds.h"
#include "skald/sparq_params.h"

namespace skald {

class PageSelector final : public KeySelector {
 public:
  PageSelector(const AttentionJob& job, const SparqParams& params, const KvView& kv, int64_t row, int64_t kv_head,
               const Candidates& candidates, const PageBoundsScratch& bounds, int32_t* keys);

  size_t stages() const override { return 2; }
  int64_t parts(size_t) const override { return 1; }
  void run(size_t stage, int64_t part) override;
  bool scores(size_t stage) const override { return stage == 0; }

  const int32_t* keys() const override { return keys_; }
  int64_t n_keys() const override { return n_keys_; }
  const float* alphas() const override { return nullptr; }
  double bytes_read() const override { return static_cast<double>(bounds_.n() * bounds_bytes(d_k_)); }

 private:
  void choose();
  void take(int64_t from, int64_t to);

  Candidates candidates_;
  PageBounds bounds_;
  SparqParams::Choice choice_;
  int64_t d_k_, n_keys_ = 0;
  int32_t* keys_;  // (candidates)
};

}  // namespace skald
