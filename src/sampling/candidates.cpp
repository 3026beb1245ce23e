#include "sampling/candidates.h"

#include <algorithm>
#include <cmath>

namespace skald {

bool more_likely(const Candidate& a, const Candidate& b) {
  const bool a_nan = std::isnan(a.logit), b_nan = std::isnan(b.logit);
  if (a_nan != b_nan) return b_nan;
  if (!a_nan && a.logit != b.logit) return a.logit > b.logit;
  return a.id < b.id;
}

void keep_top_k(std::vector<Candidate>& candidates, int k) {
  const size_t keep = k > 0 ? std::min(static_cast<size_t>(k), candidates.size()) : candidates.size();
  std::partial_sort(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(keep), candidates.end(),
                    more_likely);
  candidates.resize(keep);
}

void keep_top_p(std::vector<Candidate>& candidates, float p) {
  if (p >= 1.0f) return;
  const std::vector<double> shares = probabilities(candidates, 1.0f);
  double sum = 0;
  for (size_t i = 0; i < shares.size(); ++i) {
    sum += shares[i];
    if (sum >= static_cast<double>(p)) return candidates.resize(i + 1);
  }
}

void keep_min_p(std::vector<Candidate>& candidates, float min_p) {
  if (min_p <= 0) return;
  const float least = candidates[0].logit + std::log(min_p);
  const auto out = std::ranges::find_if(candidates, [&](const Candidate& c) { return !(c.logit >= least); });
  candidates.erase(std::max(out, candidates.begin() + 1), candidates.end());
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

}  // namespace skald
