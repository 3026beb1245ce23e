// q4_1 in panels.
#include "quant/pack_groups.h"
#include "quant/q4_1/block.h"

namespace skald {

static void put(const BlockQ4_1& b, int i, int row, BlockQ4_1::Group& to) {
  to.d[i][row] = b.d;
  to.min[i][row] = b.m;
  put_codes(nibbles(b.q), row, to.codes[i]);
}

extern const PanelLayout panels_q4_1;
const PanelLayout panels_q4_1 = layout_of_groups<BlockQ4_1, put>("q4_1x16");

}  // namespace skald
