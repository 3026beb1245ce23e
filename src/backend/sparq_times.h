// SparqTimes: where sparse attention's time goes, summed over rows, heads and threads.
#pragma once

#include <atomic>
#include <cstdint>

namespace skald {

struct SparqTimes {
  std::atomic<int64_t> score = 0, select = 0, attend = 0;  // nanoseconds: step one, the choice of keys, step two
};

}  // namespace skald
