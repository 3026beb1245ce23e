// iq2_xxs: 256 elements in eight parts of 32, each of four points of a grid in 8 dimensions; value i of part p is
// d * (scale[p] + 1/2) / 4 * coordinate, with a sign.
#pragma once

#include <cstdint>

#include "quant/grid_levels.h"

namespace skald {

struct BlockIq2Xxs : Iq2Levels {
  static constexpr uint32_t kId = 16;  // GGUF tensor type
  static constexpr int kSize = 256;    // elements per block
  using Group = SuperGroup<PanelCodes<2, 1>, int8_t, 1>;
  uint16_t d;  // f16
  struct Part {
    uint8_t points[4];
    uint8_t signs_and_scale[4];  // from the lowest bit: four times seven signs, four bits of scale
  } parts[8];
};
static_assert(sizeof(BlockIq2Xxs) == 66);

/// For the kernels over panels.
using paneled_iq2_xxs = BlockIq2Xxs;

}  // namespace skald
