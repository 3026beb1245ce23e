// iq4_xs: 256 nibbles, which name the levels of iq4_nl, in eight parts of 32 with scales of six bits; value i of part p is
// d * (scale[p] - 32) * level.
#pragma once

#include <cstdint>

#include "quant/iq4_nl/block.h"
#include "quant/panel_groups.h"

namespace skald {

struct BlockIq4Xs {
  static constexpr uint32_t kId = 23;  // GGUF tensor type
  static constexpr int kSize = 256;    // elements per block
  using Group = SuperGroup<PanelCodes<4, 0>, int8_t, 1>;
  static constexpr int kOffset = 128, kMaxCode = 255;  // of panels: codes are numbers of levels
  static consteval PanelLevels levels() { return iq4_panel_levels(); }
  uint16_t d;             // f16
  uint16_t scales_high;   // two bits of each
  uint8_t scales_low[4];  // four bits of each
  uint8_t q[128];         // low nibbles of q[16 * p + i]: element i of part p; high nibbles: element i + 16

  /// -32 to 31.
  int scale(int part) const {
    return ((scales_low[part / 2] >> part % 2 * 4 & 15) | (scales_high >> 2 * part & 3) << 4) - 32;
  }
};
static_assert(sizeof(BlockIq4Xs) == 136);

/// For the kernels over panels.
using paneled_iq4_xs = BlockIq4Xs;

}  // namespace skald
