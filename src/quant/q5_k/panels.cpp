// q5_k in panels.
#include "quant/pack_groups.h"
#include "quant/q5_k/block.h"

namespace skald {

static void put(const BlockQ5K& b, int, int row, BlockQ5K::Group& to) {
  to.d[row] = b.d;
  to.min[row] = b.min ^ 0x8000;  // to be added
  for (int part = 0; part < 8; ++part) {
    to.scales[part][row] = static_cast<uint8_t>(b.parts.scale(part));
    to.mins[part][row] = static_cast<uint8_t>(b.parts.offset(part));
    put_codes(codes_of(b, part), row, to.codes[part]);
  }
}

extern const PanelLayout panels_q5_k;
const PanelLayout panels_q5_k = layout_of_groups<BlockQ5K, put>("q5_kx16");

}  // namespace skald
