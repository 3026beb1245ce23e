// Levels of iq1_* and iq2_* in panels: their numbers, which are the coordinates of their grids' points with their signs.
#pragma once

#include "quant/panel_groups.h"

namespace skald {

/// Bases of blocks.
struct Iq1Levels {
  static constexpr int kOffset = 16, kMaxCode = 31;  // of levels
  static constexpr float kPanelScale = 0.125f;       // of all scales there
  static consteval PanelLevels levels() { return {{9, 17, 25, 16, 7, 15, 23, 16}}; }
};

struct Iq2Levels {
  static constexpr int kOffset = 64, kMaxCode = 127;
  static constexpr float kPanelScale = 0.125f;
  static consteval PanelLevels levels() { return {{72, 89, 107, 64, 56, 39, 21, 64}}; }
};

}  // namespace skald
