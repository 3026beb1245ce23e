#include "sampling/filters/penalties.h"

#include <algorithm>
#include <unordered_map>

namespace skald {

bool penalizes(const SamplingParams& p) {
  return p.repeat_last_n != 0 && (p.repeat_penalty != 1.0f || p.presence_penalty != 0 || p.frequency_penalty != 0);
}

void penalize(const SamplingParams& p, std::span<const TokenId> past, std::span<float> logits) {
  const size_t n = p.repeat_last_n < 0 ? past.size() : std::min(past.size(), static_cast<size_t>(p.repeat_last_n));
  std::unordered_map<TokenId, int> counts;
  for (TokenId id : past.last(n)) ++counts[id];
  for (const auto& [id, count] : counts) {
    if (id < 0 || static_cast<size_t>(id) >= logits.size()) continue;
    float& logit = logits[static_cast<size_t>(id)];
    logit = logit > 0 ? logit / p.repeat_penalty : logit * p.repeat_penalty;
    logit -= p.presence_penalty + p.frequency_penalty * static_cast<float>(count);
  }
}

}  // namespace skald
