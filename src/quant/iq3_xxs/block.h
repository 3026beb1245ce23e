// iq3_xxs: 256 elements in eight parts of 32, each of eight points of a grid in 4 dimensions; value i of part p is
// d * (scale[p] + 1/2) / 2 * coordinate, with a sign.
#pragma once

#include <cstdint>

namespace skald {

struct BlockIq3Xxs {
  static constexpr uint32_t kId = 18;  // GGUF tensor type
  static constexpr int kSize = 256;    // elements per block
  uint16_t d;                          // f16
  uint8_t points[64];
  uint8_t signs_and_scales[8][4];  // of each part, from the lowest bit: four times seven signs, four bits of scale
};
static_assert(sizeof(BlockIq3Xxs) == 98);

}  // namespace skald
