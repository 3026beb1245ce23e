// q5_0: 32 codes of five bits with one f16 scale; value i is d * (code - 16).
#pragma once

#include <cstdint>

#include "quant/panel_groups.h"

namespace skald {

struct BlockQ5_0 {
  static constexpr uint32_t kId = 6;  // GGUF tensor type
  static constexpr int kSize = 32;    // elements per block
  using Group = BlocksGroup<PanelCodes<4, 1>, 2>;
  static constexpr int kOffset = 16, kMaxCode = 31;  // of panels: codes are unsigned, less kOffset
  uint16_t d;                                        // f16
  uint8_t high[4];                                   // the fifth bit of element i: bit i % 8 of high[i / 8]
  uint8_t q[16];                                     // low nibbles: elements 0 to 15; high nibbles: elements 16 to 31
};
static_assert(sizeof(BlockQ5_0) == 22);

/// For the kernels over panels.
using paneled_q5_0 = BlockQ5_0;

}  // namespace skald
