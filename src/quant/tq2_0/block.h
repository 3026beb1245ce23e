// tq2_0: 256 ternary digits of two bits with one f16 scale; value i is d * (digit - 1).
#pragma once

#include <cstdint>

namespace skald {

struct BlockTq2_0 {
  static constexpr uint32_t kId = 35;  // GGUF tensor type
  static constexpr int kSize = 256;    // elements per block
  uint8_t q[64];                       // element i: bits 2 * (i / 32 % 4) of q[i / 128 * 32 + i % 32]
  uint16_t d;                          // f16
};
static_assert(sizeof(BlockTq2_0) == 66);

}  // namespace skald
