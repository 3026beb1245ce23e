// Log-probabilities under a row of logits.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "skald/types.h"

namespace skald {

/// ln of the sum of exp(logit), with sums in double.
double log_total(std::span<const float> logits);

/// ln softmax(logits)[token]. 0 <= token < logits.size().
double log_prob(std::span<const float> logits, TokenId token);

/// The n most likely tokens with theirs, the most likely first, where log_total() is `total`.
std::vector<std::pair<TokenId, double>> top_log_probs(std::span<const float> logits, size_t n, double total);

}  // namespace skald
