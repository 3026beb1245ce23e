// Log probabilities of tokens under what a step gave.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "skald/types.h"
#include "stepping/logits.h"

namespace skald {

struct TokenLogProbs {
  double token = 0;
  std::vector<std::pair<TokenId, double>> best = {};  // the likeliest first
};

/// Gives those of a token and of the n likeliest ones. The row of logits is read only where what the device tells of it is
/// not enough.
TokenLogProbs log_probs(const Logits& logits, int64_t row, TokenId token, size_t n);

}  // namespace skald
