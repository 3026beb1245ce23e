// iq4_nl: 32 nibbles, which name 16 unevenly spaced levels, with one f16 scale; value i is d * level.
#pragma once

#include <cstdint>

#include "quant/panel_groups.h"

namespace skald {

/// The levels of iq4_nl and iq4_xs.
inline constexpr int8_t kIq4Levels[16] = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};

/// Plus 128.
consteval PanelLevels iq4_panel_levels() {
  return {{1, 24, 45, 63, 79, 93, 106, 118, 129, 141, 153, 166, 181, 197, 217, 241}};
}

struct BlockIq4Nl {
  static constexpr uint32_t kId = 20;  // GGUF tensor type
  static constexpr int kSize = 32;     // elements per block
  using Group = BlocksGroup<PanelCodes<4, 0>, 2>;
  static constexpr int kOffset = 128, kMaxCode = 255;  // of panels: codes are numbers of levels
  static consteval PanelLevels levels() { return iq4_panel_levels(); }
  uint16_t d;     // f16
  uint8_t q[16];  // low nibbles: elements 0 to 15; high nibbles: elements 16 to 31
};
static_assert(sizeof(BlockIq4Nl) == 18);

/// For the kernels over panels.
using paneled_iq4_nl = BlockIq4Nl;

}  // namespace skald
