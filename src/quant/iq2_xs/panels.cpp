// iq2_xs in panels: points of the grid coordinate by coordinate, in three bits.
#include "quant/iq2_xs/block.h"
#include "quant/iq2_xs/grid.h"
#include "quant/pack_groups.h"

namespace skald {

static void put(const BlockIq2Xs& b, int, int row, BlockIq2Xs::Group& to) {
  to.d[row] = b.d;
  for (int part = 0; part < 16; ++part)
    to.scales[part][row] = static_cast<int8_t>(2 * (b.scales[part / 2] >> part % 2 * 4 & 15) + 1);
  for (int block = 0; block < 8; ++block) {
    RowCodes codes;
    for (int i = 0; i < 4; ++i) {
      const uint16_t point = b.points[4 * block + i];
      put_point<4, 2>(kIq2XsGrid[point & 511], even_signs(point >> 9), 8 * i, codes);
    }
    put_codes(codes, row, to.codes[block]);
  }
}

extern const PanelLayout panels_iq2_xs;
const PanelLayout panels_iq2_xs = layout_of_groups<BlockIq2Xs, put>("iq2_xsx16");

}  // namespace skald
