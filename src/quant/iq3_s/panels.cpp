// iq3_s in panels: points of the grid coordinate by coordinate, in four bits.
#include "quant/iq3_s/block.h"
#include "quant/iq3_s/grid.h"
#include "quant/pack_groups.h"

namespace skald {

static void put(const BlockIq3S& b, int, int row, BlockIq3S::Group& to) {
  to.d[row] = b.d;
  for (int part = 0; part < 8; ++part) {
    to.scales[part][row] = static_cast<int8_t>(2 * (b.scales[part / 2] >> part % 2 * 4 & 15) + 1);
    RowCodes codes;
    for (int i = 0; i < 8; ++i) {
      const int point = 8 * part + i;
      put_point<1, 3>(kIq3SGrid[static_cast<size_t>(b.point(point))], unsigned{b.signs[point / 2]} >> i % 2 * 4, 4 * i,
                      codes);
    }
    put_codes(codes, row, to.codes[part]);
  }
}

extern const PanelLayout panels_iq3_s;
const PanelLayout panels_iq3_s = layout_of_groups<BlockIq3S, put>("iq3_sx16");

}  // namespace skald
