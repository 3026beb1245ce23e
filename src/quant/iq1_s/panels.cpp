// iq1_s in panels: eight times a coordinate and its delta is one of six levels.
#include "quant/iq1_s/block.h"
#include "quant/iq1_s/grid.h"
#include "quant/pack_groups.h"

namespace skald {

static void put(const BlockIq1S& b, int, int row, BlockIq1S::Group& to) {
  to.d[row] = b.d;
  for (int part = 0; part < 8; ++part) to.scales[part][row] = static_cast<int8_t>(2 * (b.high[part] >> 12 & 7) + 1);
  for (int block = 0; block < 8; ++block) {
    RowCodes codes;
    for (int i = 0; i < 4; ++i) {
      const int point = 4 * block + i, delta = b.high[block] >> 15;
      for (int j = 0; j < 8; ++j)
        codes.of[8 * i + j] =
            static_cast<uint8_t>((kIq1Grid[static_cast<size_t>(b.point(point))][static_cast<size_t>(j)] + 1) | delta << 2);
    }
    put_codes(codes, row, to.codes[block]);
  }
}

extern const PanelLayout panels_iq1_s;
const PanelLayout panels_iq1_s = layout_of_groups<BlockIq1S, put>("iq1_sx16");

}  // namespace skald
