// f32: plain floats, as a format with blocks of one element.
#pragma once

#include <cstdint>

namespace skald {

struct BlockF32 {
  static constexpr uint32_t kId = 0;  // GGUF tensor type
  static constexpr int kSize = 1;     // elements per block
  float x;
};
static_assert(sizeof(BlockF32) == 4);

}  // namespace skald
