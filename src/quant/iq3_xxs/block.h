// iq3_xxs: 256 elements in eight parts of 32, each of eight points of a grid in 4 dimensions; value i of part p is
// d * (scale[p] + 1/2) / 2 * coordinate, with a sign.
#pragma once

#include <cstdint>

#include "quant/panel_groups.h"

namespace skald {

struct BlockIq3Xxs {
  static constexpr uint32_t kId = 18;  // GGUF tensor type
  static constexpr int kSize = 256;    // elements per block
  using Group = SuperGroup<PanelCodes<4, 0>, int8_t, 1>;
  static constexpr int kOffset = 64, kMaxCode = 127;  // of panels: codes are numbers of levels
  static constexpr float kPanelScale = 0.25f;         // of all scales there
  static consteval PanelLevels levels() { return {{68, 76, 84, 92, 100, 108, 116, 126, 60, 52, 44, 36, 28, 20, 12, 2}}; }
  uint16_t d;  // f16
  uint8_t points[64];
  uint8_t signs_and_scales[8][4];  // of each part, from the lowest bit: four times seven signs, four bits of scale
};
static_assert(sizeof(BlockIq3Xxs) == 98);

/// For the kernels over panels.
using paneled_iq3_xxs = BlockIq3Xxs;

}  // namespace skald
