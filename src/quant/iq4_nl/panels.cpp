// iq4_nl in panels.
#include "quant/iq4_nl/block.h"
#include "quant/pack_groups.h"

namespace skald {

static void put(const BlockIq4Nl& b, int i, int row, BlockIq4Nl::Group& to) {
  to.d[i][row] = b.d;
  put_codes(nibbles(b.q), row, to.codes[i]);
}

extern const PanelLayout panels_iq4_nl;
const PanelLayout panels_iq4_nl = layout_of_groups<BlockIq4Nl, put>("iq4_nlx16");

}  // namespace skald
