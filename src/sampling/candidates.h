// Candidates: the tokens still in the running with their logits, most likely first once they are sorted.
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

/// Probabilities of the (sorted) candidates at a temperature > 0.
std::vector<double> probabilities(std::span<const Candidate> candidates, float temperature);

/// The candidate that a number `left` of [0, 1) falls to.
TokenId draw(std::span<const Candidate> candidates, float temperature, double left);

}  // namespace skald
