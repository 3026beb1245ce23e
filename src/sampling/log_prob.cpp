#include "sampling/log_prob.h"

#include <algorithm>
#include <cmath>

namespace skald {

double log_prob(std::span<const float> logits, TokenId token) {
  const float top = *std::ranges::max_element(logits);
  double sum = 0;
  for (const float x : logits) sum += std::exp(static_cast<double>(x - top));
  return static_cast<double>(logits[static_cast<size_t>(token)] - top) - std::log(sum);
}

}  // namespace skald
