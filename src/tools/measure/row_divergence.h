// The Kullback-Leibler divergence of one row of logits from a reference's probabilities.
#pragma once

#include <cmath>
#include <cstdint>

#include "tools/measure/row_losses.h"

namespace skald {

/// In nats: the sum of p (log p - log q) over the tokens, where q is the row's and log_p(token) the reference's. Tokens
/// whose log_p is -HUGE_VAL do not count.
template <class LogP>
double row_divergence(const RowLoss& row, LogP&& log_p) {
  double sum = 0;
  for (int64_t i = 0; i < std::ssize(row.logits); ++i) {
    const double p = log_p(i);
    if (p != -HUGE_VAL) sum += static_cast<double>(std::exp(static_cast<float>(p))) * (p - row.log_p(i));
  }
  return sum;
}

}  // namespace skald
