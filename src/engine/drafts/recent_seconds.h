// Durations as they were of late.
#pragma once

#include <algorithm>

namespace skald {

/// Moves a duration towards one that was seen, which it is where none was known. One that other programs delayed counts as
/// twice the known one at most.
inline void move_to(double& known, double seen) {
  constexpr double kNew = 0.2, kMostDelay = 2;
  known = known > 0 ? known + kNew * (std::min(seen, kMostDelay * known) - known) : seen;
}

}  // namespace skald
