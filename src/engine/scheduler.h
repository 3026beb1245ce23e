// Scheduler: how many tokens of each running request the next step computes. A pure decision, tested without a model.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace skald {

/// One request as the scheduler sees it.
struct Pending {
  int64_t tokens = 0;   // not computed yet: the rest of the prompt, or the one token sampled last
  int64_t at_once = 0;  // so many of them must be in one step; at most `tokens` and the budget
};

struct StepShare {
  size_t request;  // index into the requests given
  int64_t tokens;  // > 0
};

/// At most `budget` tokens: first the prompts whose beginning cannot be cut and still fits, since beside enough decode steps
/// it never would; then one-token requests (decode steps); then as much as fits of the other prompts; each in order. Never
/// empty when some request has tokens pending and budget > 0.
std::vector<StepShare> schedule(std::span<const Pending> requests, int64_t budget);

}  // namespace skald
