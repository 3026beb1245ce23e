// Random keys and values, so that attention at a depth can be timed without computing the tokens before it.
#pragma once

#include "engine/runner.h"

namespace skald {

/// Makes `sequence` (empty) hold `n` random keys and values in every layer. Throws kNoMemory when the pages do not suffice.
void fill_random_kv(Runner& runner, KvSequence& sequence, int64_t n);

}  // namespace skald
