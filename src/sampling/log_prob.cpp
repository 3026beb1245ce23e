#include "sampling/log_prob.h"

#include <algorithm>
#include <cmath>

#include "sampling/most_likely.h"

namespace skald {

double log_total(std::span<const float> logits) {
  const double top = *std::ranges::max_element(logits);
  double sum = 0;
  for (const float x : logits) sum += std::exp(static_cast<double>(x) - top);
  return top + std::log(sum);
}

double log_prob(std::span<const float> logits, TokenId token) {
  return static_cast<double>(logits[static_cast<size_t>(token)]) - log_total(logits);
}

std::vector<std::pair<TokenId, double>> top_log_probs(std::span<const float> logits, size_t n, double total) {
  std::vector<TokenId> ids;
  most_likely(logits, n, ids);
  std::vector<std::pair<TokenId, double>> out;
  for (const TokenId id : ids) out.emplace_back(id, static_cast<double>(logits[static_cast<size_t>(id)]) - total);
  return out;
}

}  // namespace skald
