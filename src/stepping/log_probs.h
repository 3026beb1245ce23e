// Log probabilities of tokens under what a step gave.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "sampling/candidate_set.h"
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

/// Gives the n likeliest tokens, of those that `allowed` has where it is not null, with theirs; fewer where no more are
/// possible. Throws kBadInput naming the token for logits that are NaN or +infinity.
std::vector<std::pair<TokenId, double>> likeliest(const Logits& logits, int64_t row, size_t n, const TokenMask* allowed);

}  // namespace skald
