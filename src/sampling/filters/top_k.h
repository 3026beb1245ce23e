// top-k: the k most likely tokens.
#pragma once

#include <span>
#include <vector>

#include "sampling/candidates.h"

namespace skald {

/// Keeps the k most likely, sorted; k <= 0 or beyond the size keeps and sorts all.
void keep_top_k(std::vector<Candidate>& candidates, int k);

/// The k most likely tokens of a row of logits, sorted, 0 < k, into `out`. One pass that mostly compares blocks of logits
/// with the least of those found so far.
void top_k_of(std::span<const float> logits, int k, std::vector<Candidate>& out);

/// The most likely token, ties to the lowest id.
TokenId argmax(std::span<const float> logits);

}  // namespace skald
