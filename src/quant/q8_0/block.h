// q8_0: 32 signed bytes with one f16 scale; value i is d * q[i].
#pragma once

#include <cstdint>

namespace skald {

/// Two blocks of 16 rows (quant/panels.h): q[block][i / 4][row][i % 4] is element i, plus 128.
struct GroupQ8_0 {
  static constexpr int kBlocks = 2, kColumns = 64, kParts = 1;
  uint16_t d[2][16];
  uint8_t q[2][8][16][4];
};
static_assert(sizeof(GroupQ8_0) == 2 * 16 * 34);

struct BlockQ8_0 {
  static constexpr uint32_t kId = 8;  // GGUF tensor type
  static constexpr int kSize = 32;    // elements per block
  using Group = GroupQ8_0;
  static constexpr int kOffset = 128, kMaxCode = 255;  // of panels: the addend of codes, and the largest then
  uint16_t d;                                          // scale, f16
  int8_t q[32];
};
static_assert(sizeof(BlockQ8_0) == 34);

}  // namespace skald
