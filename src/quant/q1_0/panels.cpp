// q1_0 in panels.
#include "quant/pack_groups.h"
#include "quant/q1_0/block.h"

namespace skald {

// A byte each for eight bits, the lowest one first.
static uint64_t spread(uint8_t bits) {
  constexpr uint64_t kOnes = 0x0101010101010101, kDiagonal = 0x8040201008040201;
  return ((bits * kOnes & kDiagonal) + 0x7f * kOnes) >> 7 & kOnes;
}

static void put(const BlockQ1_0& b, int i, int row, BlockQ1_0::Group& to) {
  to.d[i][row] = b.d;
  for (int part = 0; part < 4; ++part) {
    RowCodes codes;
    for (int byte = 0; byte < 4; ++byte) {
      const uint64_t eight = spread(b.q[4 * part + byte]);
      std::memcpy(codes.of + 8 * byte, &eight, sizeof eight);
    }
    put_codes(codes, row, to.codes[4 * i + part]);
  }
}

extern const PanelLayout panels_q1_0;
const PanelLayout panels_q1_0 = layout_of_groups<BlockQ1_0, put>("q1_0x16");

}  // namespace skald
