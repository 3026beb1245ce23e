// Candidates: the keys that a row sees, of which a selector chooses some.
#pragma once

#include "backend/cpu/attention/job.h"

namespace skald {

/// The kept keys first, then those in the slots of `others`.
struct Candidates {
  Candidates(const AttentionJob& job, const KvView& kv, int64_t row) : others(visible(job, kv, row)) {
    others.begin = std::min(others.begin, others.end);  // a row among those that are kept
    kept = std::min(kv.kept, others.end);
    n = kept + others.end - others.begin;
  }
  int64_t slot(int64_t i) const { return i < kept ? i : others.begin + i - kept; }

  SlotRange others;
  int64_t kept, n;
};

}  // namespace skald
