// iq3_s: 256 elements in eight parts of 32, each of eight points of a grid in 4 dimensions; value i of part p is
// d * (2 * scale[p] + 1) * coordinate, with a sign.
#pragma once

#include <cstdint>

#include "quant/panel_groups.h"

namespace skald {

struct BlockIq3S {
  static constexpr uint32_t kId = 21;  // GGUF tensor type
  static constexpr int kSize = 256;    // elements per block
  using Group = SuperGroup<PanelCodes<4, 0>, int8_t, 1>;
  static constexpr int kOffset = 16, kMaxCode = 31;  // of panels: codes are numbers of levels
  static consteval PanelLevels levels() { return {{17, 19, 21, 23, 25, 27, 29, 31, 15, 13, 11, 9, 7, 5, 3, 1}}; }
  uint16_t d;          // f16
  uint8_t points[64];  // lower eight bits of their numbers
  uint8_t high[8];     // one bit of each point's number
  uint8_t signs[32];   // of the coordinates of two points each
  uint8_t scales[4];   // nibbles, the lower one first

  int point(int i) const { return points[i] | (high[i / 8] >> i % 8 & 1) << 8; }
};
static_assert(sizeof(BlockIq3S) == 110);

/// For the kernels over panels.
using paneled_iq3_s = BlockIq3S;

}  // namespace skald
