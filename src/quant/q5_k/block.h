// q5_k: 256 codes of five bits in eight parts of 32; value i of part p is d * scale[p] * code - min * offset[p].
#pragma once

#include <cstdint>

#include "quant/panel_groups.h"
#include "quant/six_bit_pairs.h"

namespace skald {

struct BlockQ5K {
  static constexpr uint32_t kId = 13;  // GGUF tensor type
  static constexpr int kSize = 256;    // elements per block
  using Group = SuperGroupWithMins<PanelCodes<4, 1>, 1>;
  static constexpr int kOffset = 0, kMaxCode = 31;  // of panels: codes are unsigned, less kOffset
  uint16_t d, min;                                  // f16
  SixBitPairs parts;
  uint8_t high[32];  // the fifth bit of element i of part p: bit p of high[i]
  uint8_t low[128];  // low nibbles of low[32 * j + i]: element i of part 2 * j; high nibbles: of part 2 * j + 1

  /// Of element i of the 32 from 32 * part on.
  int code(int part, int i) const { return (low[part / 2 * 32 + i] >> part % 2 * 4 & 15) | (high[i] >> part & 1) << 4; }
};
static_assert(sizeof(BlockQ5K) == 176);

/// For the kernels over panels.
using paneled_q5_k = BlockQ5K;

}  // namespace skald
