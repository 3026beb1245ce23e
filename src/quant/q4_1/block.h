// q4_1: 32 nibbles with an f16 scale and an f16 minimum; value i is d * nibble + m.
#pragma once

#include <cstdint>

#include "quant/panel_groups.h"

namespace skald {

struct BlockQ4_1 {
  static constexpr uint32_t kId = 3;  // GGUF tensor type
  static constexpr int kSize = 32;    // elements per block
  using Group = BlocksGroupWithMins<PanelCodes<4, 0>, 2>;
  static constexpr int kOffset = 0, kMaxCode = 15;  // of panels: codes are unsigned, less kOffset
  uint16_t d, m;                                    // f16
  uint8_t q[16];                                    // low nibbles: elements 0 to 15; high nibbles: elements 16 to 31
};
static_assert(sizeof(BlockQ4_1) == 20);

/// For the kernels over panels.
using paneled_q4_1 = BlockQ4_1;

}  // namespace skald
