// Logarithms of probabilities from logits.
#pragma once

#include <cstdint>
#include <span>

namespace skald {

/// The numbers that turn a row of logits into log-probabilities: log p(i) = logits[i] - log_sum.
struct LogSoftmax {
  float largest = 0;   // logit
  int64_t best = 0;    // which has it, the first of equal ones
  double log_sum = 0;  // log of the sum of exp(logits)

  LogSoftmax() = default;
  /// `logits` is not empty. NaN in, NaN out.
  explicit LogSoftmax(std::span<const float> logits);
};

}  // namespace skald
