// Scheduler: how many tokens of each running request the next step computes. A pure decision, tested without a model.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace skald {

/// One request as the scheduler sees it.
struct Pending {
  int64_t tokens = 0;  // not computed yet: the rest of the prompt, or the one token sampled last
};

struct StepShare {
  size_t request;  // index into the requests given
  int64_t tokens;  // > 0
};

/// At most `budget` tokens: first one-token requests (decode steps), in order, then as much as fits of the prompts, in
/// order. Never empty when some request has tokens pending and budget > 0.
std::vector<StepShare> schedule(std::span<const Pending> requests, int64_t budget);

}  // namespace skald
