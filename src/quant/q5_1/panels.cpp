// q5_1 in panels.
#include "quant/pack_groups.h"
#include "quant/q5_1/block.h"

namespace skald {

static void put(const BlockQ5_1& b, int i, int row, BlockQ5_1::Group& to) {
  to.d[i][row] = b.d;
  to.min[i][row] = b.m;
  RowCodes codes = nibbles(b.q);
  for (int j = 0; j < 32; ++j) codes.of[j] = static_cast<uint8_t>(codes.of[j] | (b.high[j / 8] >> j % 8 & 1) << 4);
  put_codes(codes, row, to.codes[i]);
}

extern const PanelLayout panels_q5_1;
const PanelLayout panels_q5_1 = layout_of_groups<BlockQ5_1, put>("q5_1x16");

}  // namespace skald
