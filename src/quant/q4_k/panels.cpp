// q4_k in panels.
#include "quant/pack_groups.h"
#include "quant/q4_k/block.h"

namespace skald {

static void put(const BlockQ4K& b, int, int row, BlockQ4K::Group& to) {
  to.d[row] = b.d;
  to.min[row] = b.min ^ 0x8000;  // to be added
  for (int part = 0; part < 8; ++part) {
    to.scales[part][row] = static_cast<uint8_t>(b.parts.scale(part));
    to.mins[part][row] = static_cast<uint8_t>(b.parts.offset(part));
    put_codes(codes_of(b, part), row, to.codes[part]);
  }
}

extern const PanelLayout panels_q4_k;
const PanelLayout panels_q4_k = layout_of_groups<BlockQ4K, put>("q4_kx16");

}  // namespace skald
