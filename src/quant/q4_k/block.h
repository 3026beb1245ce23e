// q4_k: 256 nibbles in eight parts of 32; value i of part p is d * scale[p] * nibble - min * offset[p].
#pragma once

#include <cstdint>

#include "quant/panel_groups.h"
#include "quant/six_bit_pairs.h"

namespace skald {

struct BlockQ4K {
  static constexpr uint32_t kId = 12;  // GGUF tensor type
  static constexpr int kSize = 256;    // elements per block
  using Group = SuperGroupWithMins<PanelCodes<4, 0>, 1>;
  static constexpr int kOffset = 0, kMaxCode = 15;  // of panels: codes are unsigned, less kOffset
  uint16_t d, min;                                  // f16
  SixBitPairs parts;
  uint8_t q[128];  // low nibbles of q[32 * j + i]: element i of part 2 * j; high nibbles: of part 2 * j + 1

  /// Of element i of the 32 from 32 * part on.
  int code(int part, int i) const { return q[part / 2 * 32 + i] >> part % 2 * 4 & 15; }
};
static_assert(sizeof(BlockQ4K) == 144);

/// For the kernels over panels.
using paneled_q4_k = BlockQ4K;

}  // namespace skald
