#include "sampling/candidates.h"

#include <cmath>

namespace skald {

bool more_likely(const Candidate& a, const Candidate& b) {
  const bool a_nan = std::isnan(a.logit), b_nan = std::isnan(b.logit);
  if (a_nan != b_nan) return b_nan;
  if (!a_nan && a.logit != b.logit) return a.logit > b.logit;
  return a.id < b.id;
}

std::vector<double> probabilities(std::span<const Candidate> candidates, float temperature) {
  std::vector<double> shares(candidates.size());
  double sum = 0;
  for (size_t i = 0; i < shares.size(); ++i) {
    const double below = static_cast<double>(candidates[i].logit) - static_cast<double>(candidates[0].logit);
    const bool best = candidates[i].logit == candidates[0].logit;  // also where both are infinite and `below` is NaN
    shares[i] = best ? 1 : std::isnan(below) ? 0 : std::exp(below / static_cast<double>(temperature));
    sum += shares[i];
  }
  for (double& s : shares) s = sum > 0 ? s / sum : 1.0 / static_cast<double>(shares.size());
  return shares;
}

TokenId draw(std::span<const Candidate> candidates, float temperature, double left) {
  const std::vector<double> shares = probabilities(candidates, temperature);
  for (size_t i = 0; i < shares.size(); ++i) {
    left -= shares[i];
    if (left < 0) return candidates[i].id;
  }
  return candidates.back().id;
}

}  // namespace skald
