// tq2_0: 256 ternary digits of two bits with one f16 scale; value i is d * (digit - 1).
#pragma once

#include <cstdint>

#include "quant/panel_groups.h"

namespace skald {

struct BlockTq2_0 {
  static constexpr uint32_t kId = 35;  // GGUF tensor type
  static constexpr int kSize = 256;    // elements per block
  using Group = UniformGroup<PanelCodes<2, 0>>;
  static constexpr int kOffset = 1, kMaxCode = 3;  // of panels: codes are unsigned, less kOffset
  uint8_t q[64];                                   // element i: bits 2 * (i / 32 % 4) of q[i / 128 * 32 + i % 32]
  uint16_t d;                                      // f16

  /// Of element i of the 32 from 32 * part on.
  int code(int part, int i) const { return q[part / 4 * 32 + i] >> part % 4 * 2 & 3; }
};
static_assert(sizeof(BlockTq2_0) == 66);

/// For the kernels over panels.
using paneled_tq2_0 = BlockTq2_0;

}  // namespace skald
