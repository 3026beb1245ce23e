// iq2_s: 256 elements in 16 parts of 16, each of two points of a grid in 8 dimensions; value i of part p is
// d * (scale[p] + 1/2) / 4 * coordinate, with a sign.
#pragma once

#include <cstdint>

#include "quant/grid_levels.h"

namespace skald {

struct BlockIq2S : Iq2Levels {
  static constexpr uint32_t kId = 22;  // GGUF tensor type
  static constexpr int kSize = 256;    // elements per block
  using Group = SuperGroup<PanelCodes<2, 1>, int8_t, 2>;
  uint16_t d;          // f16
  uint8_t points[32];  // lower eight bits of their numbers
  uint8_t signs[32];   // of each point's coordinates
  uint8_t high[8];     // two bits of each point's number
  uint8_t scales[8];   // nibbles, the lower one first

  int point(int i) const { return points[i] | (high[i / 4] >> i % 4 * 2 & 3) << 8; }
};
static_assert(sizeof(BlockIq2S) == 82);

/// For the kernels over panels.
using paneled_iq2_s = BlockIq2S;

}  // namespace skald
