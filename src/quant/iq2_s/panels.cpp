// iq2_s in panels: points of the grid coordinate by coordinate, in three bits.
#include "quant/iq2_s/block.h"
#include "quant/iq2_s/grid.h"
#include "quant/pack_groups.h"

namespace skald {

static void put(const BlockIq2S& b, int, int row, BlockIq2S::Group& to) {
  to.d[row] = b.d;
  for (int part = 0; part < 16; ++part)
    to.scales[part][row] = static_cast<int8_t>(2 * (b.scales[part / 2] >> part % 2 * 4 & 15) + 1);
  for (int block = 0; block < 8; ++block) {
    RowCodes codes;
    for (int i = 0; i < 4; ++i)
      put_point<4, 2>(kIq2SGrid[static_cast<size_t>(b.point(4 * block + i))], b.signs[4 * block + i], 8 * i, codes);
    put_codes(codes, row, to.codes[block]);
  }
}

extern const PanelLayout panels_iq2_s;
const PanelLayout panels_iq2_s = layout_of_groups<BlockIq2S, put>("iq2_sx16");

}  // namespace skald
