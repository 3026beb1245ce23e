// Candidates: the tokens still in the running with their logits, and the filters that thin them out.
#pragma once

#include <span>
#include <vector>

#include "skald/types.h"

namespace skald {

struct Candidate {
  TokenId id;
  float logit;
};

/// Most likely first, ties by the lower id; a total order, so that results do not depend on the sort.
/// NaN counts as the least likely.
bool more_likely(const Candidate& a, const Candidate& b);

/// Keeps the k most likely, sorted; k <= 0 or beyond the size keeps and sorts all.
void keep_top_k(std::vector<Candidate>& candidates, int k);

/// Keeps the shortest prefix of the (sorted) candidates whose probabilities reach p; at least one.
void keep_top_p(std::vector<Candidate>& candidates, float p);

/// Drops the (sorted) candidates whose probability is below min_p times the first one's.
void keep_min_p(std::vector<Candidate>& candidates, float min_p);

/// Probabilities of the (sorted) candidates at a temperature > 0.
std::vector<double> probabilities(std::span<const Candidate> candidates, float temperature);

}  // namespace skald
