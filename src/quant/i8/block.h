// i8: integers of eight bits with one scale for a whole tensor, which the tensor does not hold; for caches of static graphs.
#pragma once

#include <cstdint>

namespace skald {

struct BlockI8 {
  static constexpr uint32_t kId = 24;  // GGUF tensor type
  static constexpr int kSize = 1;      // elements per block
  int8_t x;
};
static_assert(sizeof(BlockI8) == 1);

}  // namespace skald
