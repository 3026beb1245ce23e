// iq1_m: 256 elements in 16 parts of 16, each of two points of the grid of iq1_s. Value i of part p is
// d * (2 * scale[p] + 1) * (coordinate +- 1/8), with a sign of the eighth for each point.
#pragma once

#include <cstdint>

#include "quant/grid_levels.h"

namespace skald {

struct BlockIq1M : Iq1Levels {
  static constexpr uint32_t kId = 29;  // GGUF tensor type
  static constexpr int kSize = 256;    // elements per block
  using Group = SuperGroup<PanelCodes<2, 1>, int8_t, 2>;
  uint8_t points[32];  // lower eight bits of their numbers
  uint8_t high[16];    // nibbles, the lower one first: three bits of a number, sign of the delta
  uint16_t scales[4];  // from the lowest bit: four scales of three bits, four bits of d

  int bits(int i) const { return high[i / 2] >> i % 2 * 4 & 15; }
  int point(int i) const { return points[i] | (bits(i) & 7) << 8; }
  int scale(int part) const { return scales[part / 4] >> part % 4 * 3 & 7; }
  /// f16, the lowest bits first.
  uint16_t d() const {
    return static_cast<uint16_t>(scales[0] >> 12 | scales[1] >> 12 << 4 | scales[2] >> 12 << 8 | scales[3] >> 12 << 12);
  }
};
static_assert(sizeof(BlockIq1M) == 56);

/// For the kernels over panels.
using paneled_iq1_m = BlockIq1M;

}  // namespace skald
