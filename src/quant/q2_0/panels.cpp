// q2_0 in panels.
#include "quant/pack_groups.h"
#include "quant/q2_0/block.h"

namespace skald {

// A byte each for four codes, the lowest one first.
static uint32_t spread(uint32_t codes) {
  codes = (codes | codes << 12) & 0x000f000f;
  return (codes | codes << 6) & 0x03030303;
}

static void put(const BlockQ2_0& b, int i, int row, BlockQ2_0::Group& to) {
  to.d[i][row] = b.d;
  for (int part = 0; part < 2; ++part) {
    RowCodes codes;
    for (int byte = 0; byte < 8; ++byte) {
      const uint32_t four = spread(b.q[8 * part + byte]);
      std::memcpy(codes.of + 4 * byte, &four, sizeof four);
    }
    put_codes(codes, row, to.codes[2 * i + part]);
  }
}

extern const PanelLayout panels_q2_0;
const PanelLayout panels_q2_0 = layout_of_groups<BlockQ2_0, put>("q2_0x16");

}  // namespace skald
