// q1_0: 128 signs with one f16 scale; value i is d where its bit is set, else -d.
#pragma once

#include <cstdint>

#include "quant/panel_groups.h"

namespace skald {

struct BlockQ1_0 {
  static constexpr uint32_t kId = 41;  // GGUF tensor type
  static constexpr int kSize = 128;    // elements per block
  using Group = BlocksGroup<PanelCodes<1, 0>, 8, 4>;
  static constexpr int kOffset = 1, kMaxCode = 2;  // of panels: twice a bit, less kOffset
  static constexpr int kShift = 1;
  uint16_t d;     // f16
  uint8_t q[16];  // element i: bit i % 8 of q[i / 8]

  /// Returns the bit of element i of the 32 from 32 * part on.
  int code(int part, int i) const { return q[part * 4 + i / 8] >> i % 8 & 1; }
};
static_assert(sizeof(BlockQ1_0) == 18);

/// For the kernels over panels.
using paneled_q1_0 = BlockQ1_0;

}  // namespace skald
