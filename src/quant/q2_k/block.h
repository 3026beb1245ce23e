// q2_k: 256 codes of two bits in 16 parts of 16; value i of part p is d * scale[p] * code - min * offset[p], scales and
// offsets being nibbles.
#pragma once

#include <cstdint>

#include "quant/panel_groups.h"

namespace skald {

struct BlockQ2K {
  static constexpr uint32_t kId = 10;  // GGUF tensor type
  static constexpr int kSize = 256;    // elements per block
  using Group = SuperGroupWithMins<PanelCodes<2, 0>, 2>;
  static constexpr int kOffset = 0, kMaxCode = 3;  // of panels: codes are unsigned, less kOffset
  uint8_t parts[16];                               // low nibble: scale; high nibble: offset
  uint8_t q[64];                                   // element i: bits 2 * (i / 32 % 4) of q[i / 128 * 32 + i % 32]
  uint16_t d, min;                                 // f16

  /// Of element i of the 32 from 32 * part on.
  int code(int part, int i) const { return q[part / 4 * 32 + i] >> part % 4 * 2 & 3; }
};
static_assert(sizeof(BlockQ2K) == 84);

/// For the kernels over panels.
using paneled_q2_k = BlockQ2K;

}  // namespace skald
