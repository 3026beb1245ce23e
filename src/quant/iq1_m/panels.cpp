// iq1_m in panels: eight times a coordinate and its delta is one of six levels.
#include "quant/iq1_m/block.h"
#include "quant/iq1_s/grid.h"
#include "quant/pack_groups.h"

namespace skald {

static void put(const BlockIq1M& b, int, int row, BlockIq1M::Group& to) {
  to.d[row] = b.d();
  for (int part = 0; part < 16; ++part) to.scales[part][row] = static_cast<int8_t>(2 * b.scale(part) + 1);
  for (int block = 0; block < 8; ++block) {
    RowCodes codes;
    for (int i = 0; i < 4; ++i) {
      const int point = 4 * block + i, delta = b.bits(point) >> 3;
      for (int j = 0; j < 8; ++j)
        codes.of[8 * i + j] =
            static_cast<uint8_t>((kIq1Grid[static_cast<size_t>(b.point(point))][static_cast<size_t>(j)] + 1) | delta << 2);
    }
    put_codes(codes, row, to.codes[block]);
  }
}

extern const PanelLayout panels_iq1_m;
const PanelLayout panels_iq1_m = layout_of_groups<BlockIq1M, put>("iq1_mx16");

}  // namespace skald
