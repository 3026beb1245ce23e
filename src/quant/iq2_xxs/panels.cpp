// iq2_xxs in panels: points of the grid coordinate by coordinate, in three bits.
#include "quant/iq2_xxs/block.h"
#include "quant/iq2_xxs/grid.h"
#include "quant/pack_groups.h"

namespace skald {

static void put(const BlockIq2Xxs& b, int, int row, BlockIq2Xxs::Group& to) {
  to.d[row] = b.d;
  for (int part = 0; part < 8; ++part) {
    uint32_t bits;
    std::memcpy(&bits, b.parts[part].signs_and_scale, sizeof bits);
    to.scales[part][row] = static_cast<int8_t>(2 * (bits >> 28) + 1);
    RowCodes codes;
    for (int i = 0; i < 4; ++i)
      put_point<4, 2>(kIq2XxsGrid[b.parts[part].points[i]], even_signs(bits >> 7 * i & 127), 8 * i, codes);
    put_codes(codes, row, to.codes[part]);
  }
}

extern const PanelLayout panels_iq2_xxs;
const PanelLayout panels_iq2_xxs = layout_of_groups<BlockIq2Xxs, put>("iq2_xxsx16");

}  // namespace skald
