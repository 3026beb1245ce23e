// q3_k: 256 codes of three bits in 16 parts of 16 with scales of six bits; value i of part p is
// d * (scale[p] - 32) * (code - 4).
#pragma once

#include <cstdint>

#include "quant/panel_groups.h"

namespace skald {

struct BlockQ3K {
  static constexpr uint32_t kId = 11;  // GGUF tensor type
  static constexpr int kSize = 256;    // elements per block
  using Group = SuperGroup<PanelCodes<2, 1>, int8_t, 2>;
  static constexpr int kOffset = 4, kMaxCode = 7;  // of panels: codes are unsigned, less kOffset
  uint8_t high[32];                                // element i's third bit: bit i / 32 of high[i % 32]
  uint8_t low[64];     // element i's other bits: bits 2 * (i / 32 % 4) of low[i / 128 * 32 + i % 32]
  uint8_t scales[12];  // four bits of each in the first 8, two in the last 4
  uint16_t d;          // f16

  /// Of element i of the 32 from 32 * part on.
  int code(int part, int i) const { return (low[part / 4 * 32 + i] >> part % 4 * 2 & 3) | (high[i] >> part & 1) << 2; }
  /// -32 to 31.
  int scale(int part) const {
    return ((scales[part % 8] >> part / 8 * 4 & 15) | (scales[8 + part % 4] >> part / 4 * 2 & 3) << 4) - 32;
  }
};
static_assert(sizeof(BlockQ3K) == 110);

/// For the kernels over panels.
using paneled_q3_k = BlockQ3K;

}  // namespace skald
