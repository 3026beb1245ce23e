// iq1_s: 256 elements in eight parts of 32, each of four points of a ternary grid in 8 dimensions; value i of part p is
// d * (2 * scale[p] + 1) * (coordinate +- 1/8).
#pragma once

#include <cstdint>

#include "quant/grid_levels.h"

namespace skald {

/// The number that is added to coordinates, or subtracted where a bit says so.
inline constexpr float kIq1Delta = 0.125f;

struct BlockIq1S : Iq1Levels {
  static constexpr uint32_t kId = 19;  // GGUF tensor type
  static constexpr int kSize = 256;    // elements per block
  using Group = SuperGroup<PanelCodes<2, 1>, int8_t, 1>;
  uint16_t d;          // f16
  uint8_t points[32];  // lower eight bits of their numbers
  uint16_t high[8];    // from the lowest bit: three bits of four numbers, three bits of scale, sign of the delta

  int point(int i) const { return points[i] | (high[i / 4] >> i % 4 * 3 & 7) << 8; }
};
static_assert(sizeof(BlockIq1S) == 50);

/// For the kernels over panels.
using paneled_iq1_s = BlockIq1S;

}  // namespace skald
