#include "sampling/softmax.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "sampling/lanes.h"
#include "sampling/passes.h"

namespace skald {

double softmax(std::span<const float> logits, std::vector<float>& out) {
  const size_t n = logits.size(), whole = n / kLanes * kLanes, padded = in_lanes(n);
  out.resize(padded);
  const float best = look_over(logits.data(), n).best;
  double total = weigh(logits.data(), whole, best, 1, out.data());
  if (padded > whole) {
    float tail[kLanes];
    for (size_t i = 0; i < kLanes; ++i) tail[i] = whole + i < n ? logits[whole + i] : kGone;
    total += weigh(tail, kLanes, best, 1, out.data() + whole);
  }
  multiply(out.data(), padded, static_cast<float>(1 / total));
  return static_cast<double>(best) + std::log(total);
}

// Rounding may take it below 0. Neighbours are added up apart, so that none waits for the one before.
double divergence(std::span<const float> logits, std::span<const float> other, std::vector<float>& work) {
  const double of_other = softmax(other, work), of_this = softmax(logits, work);
  std::array<double, 8> sums{};
  size_t i = 0;
  for (; i + sums.size() <= logits.size(); i += sums.size())
    for (size_t j = 0; j < sums.size(); ++j)
      sums[j] += static_cast<double>(work[i + j]) * static_cast<double>(logits[i + j] - other[i + j]);
  double sum = of_other - of_this;
  for (; i < logits.size(); ++i) sum += static_cast<double>(work[i]) * static_cast<double>(logits[i] - other[i]);
  for (const double part : sums) sum += part;
  return std::max(sum, 0.0);
}

}  // namespace skald
