// The log-probability of a token under a row of logits.
#pragma once

#include <span>

#include "skald/types.h"

namespace skald {

/// ln softmax(logits)[token], with sums in double. 0 <= token < logits.size().
double log_prob(std::span<const float> logits, TokenId token);

}  // namespace skald
