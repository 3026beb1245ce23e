// Measures the CPU's roofline: assembly loops for the arithmetic peaks, a prefetched stream for the read bandwidth.
#pragma once

#include <cstdint>

#include "backend/roofline.h"
#include "base/thread_pool.h"

namespace skald {

/// Measures with all threads of `pool` for about `seconds` (> 0), after filling a buffer of `buffer_bytes` to be read. 0
/// bytes: a last-level cache for each thread and for eight threads at least, within 512 MB and 4 GB. The buffer takes at
/// most an eighth of the available memory. Each figure is the median of ten windows of its best loop: the machine sustains
/// it, so that a benchmark can be held to it. A machine that others share drifts: measure right before and after the
/// benchmark that is judged by it. Throws kNoMemory when the buffer cannot be had.
Roofline measure_roofline(ThreadPool& pool, double seconds, int64_t buffer_bytes = 0);

}  // namespace skald
