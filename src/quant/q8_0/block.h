// q8_0: 32 signed bytes with one f16 scale; value i is d * q[i].
#pragma once

#include <cstdint>

namespace skald {

struct BlockQ8_0 {
  static constexpr uint32_t kId = 8;  // GGUF tensor type
  static constexpr int kSize = 32;    // elements per block
  uint16_t d;                         // scale, f16
  int8_t q[32];
};
static_assert(sizeof(BlockQ8_0) == 34);

}  // namespace skald
