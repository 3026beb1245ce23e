// Numbers of 16 bits in fragments, 32 columns a step: lane l has 8 columns from 8 (l % 4) on of row l / 4, and 512 bytes
// later those of row l / 4 + 8. Two products take them: columns count in the order in which a lane has them, for both
// factors.
#pragma once

#include <algorithm>

#include "quant/fragments.h"

namespace skald {

inline constexpr int64_t kHalfColumns = 32, kHalfStepBytes = 1024;

inline void pack_halves(const PackArgs& a, std::byte* steps) {
  for (int64_t row = 0; row < a.n_rows; ++row)
    for (int64_t from = 0; from < a.k; from += 8) {
      std::byte* const step = steps + from / kHalfColumns * kHalfStepBytes;
      const int64_t lane = row % 8 * 4 + from % kHalfColumns / 8;
      std::memcpy(step + row / 8 * 512 + lane * 16, a.rows + row * a.row_bytes + from * 2,
                  static_cast<size_t>(std::min<int64_t>(8, a.k - from)) * 2);
    }
}

}  // namespace skald
