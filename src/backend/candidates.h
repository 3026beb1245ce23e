// Candidates: the keys that a row at some position sees, of which sparse decoding chooses some; and what the choice goes by.
#pragma once

#include <algorithm>

#include "graph/ops/attention.h"
#include "kernels/api/key_sums.h"
#include "kernels/api/kv_view.h"
#include "skald/sparq_params.h"

namespace skald {

/// The slots that a row sees after the kept ones, which it all sees up to its own position. Neither begin nor end falls from
/// row to row of a sequence.
struct SlotRange {
  int64_t begin, end;
  int64_t n() const { return end - begin; }
  bool operator==(const SlotRange&) const = default;
};
inline SlotRange visible(const KeyWindow& window, const KvView& kv, int64_t position) {
  const int64_t end = position + 1;
  return {std::max(kv.begin, window.begin(end) - kv.shift), window.end(end, kv.prefix + kv.shift) - kv.shift};
}

/// The kept keys first, then those in the slots of `others`.
struct Candidates {
  Candidates(const KeyWindow& window, const KvView& kv, int64_t position) : others(visible(window, kv, position)) {
    others.begin = std::min(others.begin, others.end);  // a row among those that are kept
    kept = std::min(kv.kept, others.end);
    n = kept + others.end - others.begin;
  }
  int64_t slot(int64_t i) const { return i < kept ? i : others.begin + i - kept; }

  SlotRange others;
  int64_t kept, n;
};

/// Returns the pages up to the row all of whose keys are kept, or in its window, or after the dropped ones.
PageSet whole_pages(const KeyWindow& window, const KvView& kv, int64_t position);

KeySize key_size(const Attention& a, const KvView& kv);

/// Returns the numbers to read for a row that sees n keys, on a KV head.
inline SparqParams::Choice choose(const Attention& a, const SparqPolicy& policy, const KeySize& size, int64_t head,
                                  int64_t n) {
  return policy.params->choose(n, size, {policy.scale, policy.share(a.slot, head)});
}

}  // namespace skald
