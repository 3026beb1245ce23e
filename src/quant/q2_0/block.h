// q2_0: 64 codes of two bits with one f16 scale; value i is d * (code - 1): ternary, and twice the scale on one side.
#pragma once

#include <cstdint>

#include "quant/panel_groups.h"

namespace skald {

struct BlockQ2_0 {
  static constexpr uint32_t kId = 42;  // GGUF tensor type
  static constexpr int kSize = 64;     // elements per block
  using Group = BlocksGroup<PanelCodes<2, 0>, 4, 2>;
  static constexpr int kOffset = 1, kMaxCode = 3;  // of panels: codes are unsigned, less kOffset
  uint16_t d;                                      // f16
  uint8_t q[16];                                   // element i: bits 2 * (i % 4) and up of q[i / 4]

  /// Of element i of the 32 from 32 * part on.
  int code(int part, int i) const { return q[part * 8 + i / 4] >> i % 4 * 2 & 3; }
};
static_assert(sizeof(BlockQ2_0) == 18);

/// For the kernels over panels.
using paneled_q2_0 = BlockQ2_0;

}  // namespace skald
