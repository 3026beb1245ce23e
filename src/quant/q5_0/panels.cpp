// q5_0 in panels.
#include "quant/pack_groups.h"
#include "quant/q5_0/block.h"

namespace skald {

static void put(const BlockQ5_0& b, int i, int row, BlockQ5_0::Group& to) {
  to.d[i][row] = b.d;
  RowCodes codes = nibbles(b.q);
  for (int j = 0; j < 32; ++j) codes.of[j] = static_cast<uint8_t>(codes.of[j] | (b.high[j / 8] >> j % 8 & 1) << 4);
  put_codes(codes, row, to.codes[i]);
}

extern const PanelLayout panels_q5_0;
const PanelLayout panels_q5_0 = layout_of_groups<BlockQ5_0, put>("q5_0x16");

}  // namespace skald
