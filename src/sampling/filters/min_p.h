// min-p: tokens that are not much less likely than the best; Nguyen et al., arXiv 2407.01082.
#pragma once

#include <vector>

#include "sampling/candidates.h"

namespace skald {

/// The least logit that min_p > 0 keeps beside the best one's.
float min_p_logit(float best, float min_p);

/// Drops the (sorted) candidates whose probability is below min_p times the first one's.
void keep_min_p(std::vector<Candidate>& candidates, float min_p);

}  // namespace skald
