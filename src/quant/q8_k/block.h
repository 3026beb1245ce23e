// q8_k: 256 signed bytes with one f32 scale; value i is d * q[i].
#pragma once

#include <cstdint>

namespace skald {

struct BlockQ8K {
  static constexpr uint32_t kId = 15;  // GGUF tensor type
  static constexpr int kSize = 256;    // elements per block
  float d;
  int8_t q[256];
  int16_t sums[16];  // of 16 elements each
};
static_assert(sizeof(BlockQ8K) == 292);

}  // namespace skald
