#include "backend/cpu/attention/page_select.h"

#include <algorithm>

namespace skald {

PageSelector::PageSelector(const AttentionJob& job, const SparqParams& params, const KvView& kv, int64_t row,
                           int64_t kv_head, const Candidates& candidates, const PageBoundsScratch& bounds, int32_t* keys)
    : candidates_(candidates),
      bounds_(job, kv, row, kv_head, bounds),
      choice_(params.choose(candidates.n, job.key_size(kv))),
      d_k_(job.a.d_k),
      keys_(keys) {}

void PageSelector::run(size_t stage, int64_t) {
  if (stage == 0) return bounds_.score();
  choose();
}

// The keys of pages that the row does not see as a whole are read in any case.
void PageSelector::choose() {
  const int64_t pages = bounds_.n(), single = candidates_.n - pages * kPageKeys;
  const int64_t wanted = std::clamp<int64_t>((choice_.k2 - single) / kPageKeys, std::min<int64_t>(pages, 1), pages);
  bounds_.choose(wanted, std::min(wanted, ceil_div(choice_.local, kPageKeys)));
  int64_t at = 0;
  for (int64_t i = 0, next = 0; i < pages; ++i) {
    const int64_t first = bounds_.first_key(i, candidates_);
    take(at, first);
    at = first + kPageKeys;
    if (next < wanted && bounds_.chosen()[next] == i) {
      take(first, at);
      ++next;
    }
  }
  take(at, candidates_.n);
}

void PageSelector::take(int64_t from, int64_t to) {
  for (int64_t i = from; i < to; ++i) keys_[n_keys_++] = static_cast<int32_t>(i);
}

}  // namespace skald
