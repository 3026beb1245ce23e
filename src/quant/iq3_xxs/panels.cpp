// iq3_xxs in panels: points of the grid coordinate by coordinate, in four bits.
#include "quant/iq3_xxs/block.h"
#include "quant/iq3_xxs/grid.h"
#include "quant/pack_groups.h"

namespace skald {

static void put(const BlockIq3Xxs& b, int, int row, BlockIq3Xxs::Group& to) {
  to.d[row] = b.d;
  for (int part = 0; part < 8; ++part) {
    uint32_t bits;
    std::memcpy(&bits, b.signs_and_scales[part], sizeof bits);
    to.scales[part][row] = static_cast<int8_t>(2 * (bits >> 28) + 1);
    RowCodes codes;
    for (int i = 0; i < 8; ++i) {
      const unsigned signs = even_signs(bits >> 7 * (i / 2) & 127);
      put_point<3, 3>(kIq3XxsGrid[b.points[8 * part + i]], signs >> i % 2 * 4, 4 * i, codes);
    }
    put_codes(codes, row, to.codes[part]);
  }
}

extern const PanelLayout panels_iq3_xxs;
const PanelLayout panels_iq3_xxs = layout_of_groups<BlockIq3Xxs, put>("iq3_xxsx16");

}  // namespace skald
