// q6_k in panels.
#include "quant/pack_groups.h"
#include "quant/q6_k/block.h"

namespace skald {

static void put(const BlockQ6K& b, int, int row, BlockQ6K::Group& to) {
  to.d[row] = b.d;
  for (int part = 0; part < 16; ++part) to.scales[part][row] = static_cast<int8_t>(b.scales[part]);
  for (int block = 0; block < 8; ++block) put_codes(codes_of(b, block), row, to.codes[block]);
}

extern const PanelLayout panels_q6_k;
const PanelLayout panels_q6_k = layout_of_groups<BlockQ6K, put>("q6_kx16");

}  // namespace skald
