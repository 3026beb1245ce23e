// top-p, nucleus sampling: the most likely tokens up to a total probability; Holtzman et al., arXiv 1904.09751.
#pragma once

#include <vector>

#include "sampling/candidates.h"

namespace skald {

/// Keeps the shortest prefix of the (sorted) candidates whose probabilities reach p; at least one.
void keep_top_p(std::vector<Candidate>& candidates, float p);

}  // namespace skald
