// tq1_0: 256 ternary digits, five to a byte, with one f16 scale; value i is d * (digit - 1). A byte is the digits, first
// one highest, as a fraction of 3^5 of 256, rounded up: multiplied by 3 it carries the next digit out of the byte.
#pragma once

#include <cstdint>

namespace skald {

struct BlockTq1_0 {
  static constexpr uint32_t kId = 34;  // GGUF tensor type
  static constexpr int kSize = 256;    // elements per block
  uint8_t q[48];                       // digit n of q[i], i < 32: element 32 * n + i; of q[32 + i]: element 160 + 16 * n + i
  uint8_t high[4];                     // digit n of high[i]: element 240 + 4 * n + i
  uint16_t d;                          // f16
};
static_assert(sizeof(BlockTq1_0) == 54);

}  // namespace skald
