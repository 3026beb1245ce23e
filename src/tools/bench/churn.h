// Churn: sequences of many lengths that come and go, as in a cache that has served for a while.
#pragma once

#include <cstdint>
#include <vector>

#include "stepping/runner.h"

namespace skald {

inline constexpr int64_t kChurnSequences = 4;  // that the cache must have room for

/// Takes and gives back pages, without computing anything. Its result still holds pages, and leaves room for one sequence of
/// full length.
std::vector<KvSequence> churn(Runner& runner, uint64_t seed);

}  // namespace skald
