#include "sampling/filters/top_p.h"

namespace skald {

void keep_top_p(std::vector<Candidate>& candidates, float p) {
  if (p >= 1.0f) return;
  const std::vector<double> shares = probabilities(candidates, 1.0f);
  double sum = 0;
  for (size_t i = 0; i < shares.size(); ++i) {
    sum += shares[i];
    if (sum >= static_cast<double>(p)) return candidates.resize(i + 1);
  }
}

}  // namespace skald
