#include "engine/scheduler.h"

#include <algorithm>

namespace skald {

std::vector<StepShare> schedule(std::span<const Pending> requests, int64_t budget) {
  std::vector<StepShare> step;
  const auto take = [&](bool decoding) {
    for (size_t i = 0; i < requests.size() && budget > 0; ++i) {
      const int64_t wanted = requests[i].tokens;
      if (wanted == 0 || (wanted == 1) != decoding) continue;
      const int64_t tokens = std::min(wanted, budget);
      step.push_back({i, tokens});
      budget -= tokens;
    }
  };
  take(/*decoding=*/true);
  take(/*decoding=*/false);
  return step;
}

}  // namespace skald
