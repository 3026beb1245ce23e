// f32: plain floats, as a format with blocks of one element.
#pragma once

#include <cstdint>

namespace skald {

/// A column of 16 rows (quant/panels.h).
struct GroupF32 {
  static constexpr int kColumns = 1;
  float x[16];
};

struct BlockF32 {
  static constexpr uint32_t kId = 0;  // GGUF tensor type
  static constexpr int kSize = 1;     // elements per block
  using Group = GroupF32;
  float x;
};
static_assert(sizeof(BlockF32) == 4);

}  // namespace skald
