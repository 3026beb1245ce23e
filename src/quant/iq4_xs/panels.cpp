// iq4_xs in panels.
#include "quant/iq4_xs/block.h"
#include "quant/pack_groups.h"

namespace skald {

static void put(const BlockIq4Xs& b, int, int row, BlockIq4Xs::Group& to) {
  to.d[row] = b.d;
  for (int part = 0; part < 8; ++part) {
    to.scales[part][row] = static_cast<int8_t>(b.scale(part));
    put_codes(nibbles(b.q + 16 * part), row, to.codes[part]);
  }
}

extern const PanelLayout panels_iq4_xs;
const PanelLayout panels_iq4_xs = layout_of_groups<BlockIq4Xs, put>("iq4_xsx16");

}  // namespace skald
