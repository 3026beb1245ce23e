// KeySpread: how much each component of one head's keys varies, by the whole pages of them that a row sees. Bound: reading
// the index of pages that are new, once.
#pragma once

#include "backend/cpu/attention/job.h"
#include "kernels/api/key_sums.h"

namespace skald {

class KeySpread {
 public:
  /// Scratch memory of a thread: `own`, KeySums::bytes(d_k), and `panels`, panel_floats().
  KeySpread(const AttentionJob& job, const KvView& kv, int64_t kv_head, std::byte* own, float* panels);
  static int64_t panel_floats(const AttentionJob& job) { return round_up(job.a.d_k, kActQ8Block) * kPageKeys; }

  /// Returns whether the sequence's memo lacks some of these pages.
  bool is_behind(const PageSet& pages) const;
  /// The memo holds these pages, no others.
  void keep(const PageSet& pages) const;

  /// Returns the standard deviation of each component (d_k) over the keys of the pages, of which there are some: the memo's,
  /// or one made of it in `own`. Sums are left folds by position, so that both have the same bits.
  const float* of(const PageSet& pages) const;

 private:
  void bring(const KeySums& sums, const PageSet& pages) const;
  void add_pages(const KeySums& sums, int64_t from, int64_t to, int64_t shift) const;
  void add_page(const KeySums& sums, int64_t position, int64_t shift) const;
  void add_rows(const KeySums& sums, int64_t slot) const;
  void find_spread(const KeySums& sums) const;

  const AttentionJob& job_;
  const KvView& kv_;
  int64_t head_;
  KeySums memo_, own_;
  float* panels_;
};

}  // namespace skald
