// PageBounds: the largest and the least number of each component of one head's keys in a page. They bound the score of a key
// of the page (Quest, arXiv 2406.10774). Bound: read bandwidth of 1/32 of f16 keys.
#pragma once

#include "backend/cpu/attention/job.h"
#include "kernels/api/key_sums.h"

namespace skald {

/// Writes the bounds of the page that begins at `position`; panels (kPageKeys / kPanel, panel_d, kPanel) of its keys, of d
/// components, as they were before the cache's transform.
void store_bounds(const KvView& kv, int64_t head, int64_t position, const float* panels, int64_t panel_d, int64_t d);

struct PageBoundsScratch {
  PageBoundsScratch(const AttentionJob& job, int64_t keys, Scratch& scratch);
  int64_t capacity;          // most pages
  float *plain, *signs;      // (group, q_stride): queries; (group, split_stride): their positive parts, then the rest
  float *scores, *rank;      // (group, capacity); (capacity)
  int32_t *chosen, *select;  // (capacity), select_top's own
  float *largest, *sum;      // (group)
};

/// Those pages all of whose keys a row sees, which are numbered by position.
class PageBounds {
 public:
  PageBounds(const AttentionJob& job, const KvView& kv, int64_t row, int64_t kv_head, const PageBoundsScratch& s);

  int64_t n() const { return pages_.n(); }
  /// Returns the candidate that is page i's first key.
  int64_t first_key(int64_t i, const Candidates& candidates) const;

  /// Bounds of the scores of all pages.
  void score() const;
  /// The `wanted` pages whose bounds have the most weight in the group's softmaxes, `recent` last ones in any case:
  /// ascending, in chosen().
  void choose(int64_t wanted, int64_t recent) const;
  const int32_t* chosen() const { return s_.chosen; }

 private:
  int64_t split_stride() const { return round_up(2 * job_.a.d_k, kPanel); }
  int64_t position(int64_t i) const;
  void load(const HeadsView& from) const;
  void score_span(int64_t from, int64_t to) const;
  void adjust(int64_t i, int64_t n) const;

  const AttentionJob& job_;
  const KvView& kv_;
  int64_t row_, head_;
  PageBoundsScratch s_;
  PageSet pages_;
};

}  // namespace skald
