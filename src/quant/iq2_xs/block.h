// iq2_xs: 256 elements in 16 parts of 16, each of two points of a grid in 8 dimensions; value i of part p is
// d * (scale[p] + 1/2) / 4 * coordinate, with a sign.
#pragma once

#include <cstdint>

#include "quant/grid_levels.h"

namespace skald {

struct BlockIq2Xs : Iq2Levels {
  static constexpr uint32_t kId = 17;  // GGUF tensor type
  static constexpr int kSize = 256;    // elements per block
  using Group = SuperGroup<PanelCodes<2, 1>, int8_t, 2>;
  uint16_t d;           // f16
  uint16_t points[32];  // lower nine bits: number; upper seven: signs
  uint8_t scales[8];    // nibbles, the lower one first
};
static_assert(sizeof(BlockIq2Xs) == 74);

/// For the kernels over panels.
using paneled_iq2_xs = BlockIq2Xs;

}  // namespace skald
