#include "sampling/filters/min_p.h"

#include <algorithm>
#include <cmath>

namespace skald {

float min_p_logit(float best, float min_p) { return best + std::log(min_p); }

void keep_min_p(std::vector<Candidate>& candidates, float min_p) {
  if (min_p <= 0) return;
  const float least = min_p_logit(candidates[0].logit, min_p);
  const auto out = std::ranges::find_if(candidates, [&](const Candidate& c) { return !(c.logit >= least); });
  candidates.erase(std::max(out, candidates.begin() + 1), candidates.end());
}

}  // namespace skald
