#include "engine/scheduler.h"

#include <algorithm>

namespace skald {
namespace {

enum class Kind : uint8_t { kUncut, kDecode, kPrompt };

Kind kind_of(const Pending& r) {
  if (r.at_once > 1) return Kind::kUncut;
  return r.tokens == 1 ? Kind::kDecode : Kind::kPrompt;
}

}  // namespace

std::vector<StepShare> schedule(std::span<const Pending> requests, int64_t budget) {
  std::vector<StepShare> step;
  const auto take = [&](Kind kind) {
    for (size_t i = 0; i < requests.size() && budget > 0; ++i) {
      const int64_t wanted = requests[i].tokens;
      if (wanted == 0 || kind_of(requests[i]) != kind || requests[i].at_once > budget) continue;
      const int64_t tokens = std::min(wanted, budget);
      step.push_back({i, tokens});
      budget -= tokens;
    }
  };
  take(Kind::kUncut);
  take(Kind::kDecode);
  take(Kind::kPrompt);
  return step;
}

}  // namespace skald
