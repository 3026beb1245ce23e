// q6_k: 256 codes of six bits in 16 parts of 16 with signed scales; value i of part p is d * scale[p] * (code - 32).
#pragma once

#include <cstdint>

#include "quant/panel_groups.h"

namespace skald {

struct BlockQ6K {
  static constexpr uint32_t kId = 14;  // GGUF tensor type
  static constexpr int kSize = 256;    // elements per block
  using Group = SuperGroup<PanelCodes<4, 2>, int8_t, 2>;
  static constexpr int kOffset = 32, kMaxCode = 63;  // of panels: codes are unsigned, less kOffset
  uint8_t low[128];  // element i's nibble: bits 4 * (i / 64 % 2) of low[i / 128 * 64 + i % 64]
  uint8_t high[64];  // its upper bits: bits 2 * (i / 32 % 4) of high[i / 128 * 32 + i % 32]
  int8_t scales[16];
  uint16_t d;  // f16

  /// Of element i of the 32 from 32 * part on.
  int code(int part, int i) const {
    return (low[part / 4 * 64 + part % 2 * 32 + i] >> part / 2 % 2 * 4 & 15) | (high[part / 4 * 32 + i] >> part % 4 * 2 & 3)
                                                                                   << 4;
  }
};
static_assert(sizeof(BlockQ6K) == 210);

/// For the kernels over panels.
using paneled_q6_k = BlockQ6K;

}  // namespace skald
