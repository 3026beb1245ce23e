// The most likely tokens of a row of logits.
#pragma once

#include <span>
#include <vector>

#include "skald/types.h"

namespace skald {

/// Indices of the k largest numbers, sorted, ties by the lower one; all where there are no more. NaN counts as the least.
/// One pass that mostly compares blocks of logits with the least of those found so far.
void most_likely(std::span<const float> logits, size_t k, std::vector<TokenId>& out);

/// The most likely token, ties to the lowest id.
TokenId argmax(std::span<const float> logits);

}  // namespace skald
