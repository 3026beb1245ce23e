// q4_0: 32 nibbles with one f16 scale; value i is d * (nibble - 8).
#pragma once

#include <cstdint>

namespace skald {

/// Two blocks of 16 rows (quant/panels.h): q[block][i / 4][row][i % 4] holds elements i and i + 16.
struct GroupQ4_0 {
  static constexpr int kBlocks = 2, kColumns = 64, kParts = 1;
  uint16_t d[2][16];
  uint8_t q[2][4][16][4];
};
static_assert(sizeof(GroupQ4_0) == 2 * 16 * 18);

struct BlockQ4_0 {
  static constexpr uint32_t kId = 2;  // GGUF tensor type
  static constexpr int kSize = 32;    // elements per block
  using Group = GroupQ4_0;
  static constexpr int kOffset = 8, kMaxCode = 15;  // of panels: the addend of codes, and the largest then
  uint16_t d;     // scale, f16; negative where the element of largest magnitude is positive
  uint8_t q[16];  // low nibbles: elements 0 to 15; high nibbles: elements 16 to 31
};
static_assert(sizeof(BlockQ4_0) == 18);

}  // namespace skald
