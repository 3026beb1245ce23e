#include "tools/measure/log_softmax.h"

#include <algorithm>
#include <cmath>

namespace skald {

LogSoftmax::LogSoftmax(std::span<const float> logits) {
  best = std::ranges::max_element(logits) - logits.begin();
  largest = logits[static_cast<size_t>(best)];
  // Terms are floats of at most 1, whose errors average out; their sum needs more digits than a float has.
  double sum = 0;
  for (const float v : logits) sum += static_cast<double>(std::exp(v - largest));
  log_sum = static_cast<double>(largest) + std::log(sum);
}

}  // namespace skald
