// mxfp4 in panels.
#include "quant/mxfp4/block.h"
#include "quant/pack_groups.h"

namespace skald {

static void put(const BlockMxfp4& b, int i, int row, BlockMxfp4::Group& to) {
  to.e[i][row] = b.e;
  put_codes(nibbles(b.q), row, to.codes[i]);
}

extern const PanelLayout panels_mxfp4;
const PanelLayout panels_mxfp4 = layout_of_groups<BlockMxfp4, put>("mxfp4x16");

}  // namespace skald
