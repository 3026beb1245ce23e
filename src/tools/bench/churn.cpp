#include "tools/bench/churn.h"

#include "base/error.h"
#include "base/rng.h"

namespace skald {

std::vector<KvSequence> churn(Runner& runner, uint64_t seed) {
  constexpr int kRounds = 400;
  Rng rng(seed);
  std::vector<KvSequence> sequences;
  for (int64_t i = 1; i < kChurnSequences; ++i) sequences.push_back(runner.new_sequence());
  const auto n_ctx = static_cast<uint64_t>(runner.kv().limits().max_keys);
  for (int i = 0; i < kRounds; ++i) {
    KvSequence& s = sequences[rng.next() % sequences.size()];
    const uint64_t length = static_cast<uint64_t>(s.length()) + 1 + rng.next() % (n_ctx / 8 + 1);
    if (length > n_ctx || rng.next() % 4 == 0) {
      s.clear();
      continue;
    }
    SKALD_ASSERT(s.reserve(static_cast<int64_t>(length)));
    s.set_length(static_cast<int64_t>(length));
  }
  return sequences;
}

}  // namespace skald
