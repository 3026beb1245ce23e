// tq2_0 in panels.
#include "quant/pack_groups.h"
#include "quant/tq2_0/block.h"

namespace skald {

static void put(const BlockTq2_0& b, int, int row, BlockTq2_0::Group& to) {
  to.d[row] = b.d;
  for (int block = 0; block < 8; ++block) put_codes(codes_of(b, block), row, to.codes[block]);
}

extern const PanelLayout panels_tq2_0;
const PanelLayout panels_tq2_0 = layout_of_groups<BlockTq2_0, put>("tq2_0x16");

}  // namespace skald
