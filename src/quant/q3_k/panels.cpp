// q3_k in panels.
#include "quant/pack_groups.h"
#include "quant/q3_k/block.h"

namespace skald {

static void put(const BlockQ3K& b, int, int row, BlockQ3K::Group& to) {
  to.d[row] = b.d;
  for (int part = 0; part < 16; ++part) to.scales[part][row] = static_cast<int8_t>(b.scale(part));
  for (int block = 0; block < 8; ++block) put_codes(codes_of(b, block), row, to.codes[block]);
}

extern const PanelLayout panels_q3_k;
const PanelLayout panels_q3_k = layout_of_groups<BlockQ3K, put>("q3_kx16");

}  // namespace skald
