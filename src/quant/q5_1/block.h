// q5_1: 32 codes of five bits with an f16 scale and an f16 minimum; value i is d * code + m.
#pragma once

#include <cstdint>

#include "quant/panel_groups.h"

namespace skald {

struct BlockQ5_1 {
  static constexpr uint32_t kId = 7;  // GGUF tensor type
  static constexpr int kSize = 32;    // elements per block
  using Group = BlocksGroupWithMins<PanelCodes<4, 1>, 2>;
  static constexpr int kOffset = 0, kMaxCode = 31;  // of panels: codes are unsigned, less kOffset
  uint16_t d, m;                                    // f16
  uint8_t high[4];                                  // the fifth bit of element i: bit i % 8 of high[i / 8]
  uint8_t q[16];                                    // low nibbles: elements 0 to 15; high nibbles: elements 16 to 31
};
static_assert(sizeof(BlockQ5_1) == 24);

/// For the kernels over panels.
using paneled_q5_1 = BlockQ5_1;

}  // namespace skald
