#include "sampling/softmax.h"

#include <algorithm>

#include "sampling/lanes.h"
#include "sampling/passes.h"

namespace skald {

void softmax(std::span<const float> logits, std::vector<float>& out) {
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
}

}  // namespace skald
