// iq3_s: 256 elements in eight parts of 32, each of eight points of a grid in 4 dimensions; value i of part p is
// d * (2 * scale[p] + 1) * coordinate, with a sign.
#pragma once

#include <cstdint>

namespace skald {

struct BlockIq3S {
  static constexpr uint32_t kId = 21;  // GGUF tensor type
  static constexpr int kSize = 256;    // elements per block
  uint16_t d;                          // f16
  uint8_t points[64];                  // lower eight bits of their numbers
  uint8_t high[8];                     // one bit of each point's number
  uint8_t signs[32];                   // of the coordinates of two points each
  uint8_t scales[4];                   // nibbles, the lower one first

  int point(int i) const { return points[i] | (high[i / 8] >> i % 8 & 1) << 8; }
};
static_assert(sizeof(BlockIq3S) == 110);

}  // namespace skald
