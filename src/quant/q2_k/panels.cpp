// q2_k in panels: nibbles of scales and offsets become bytes.
#include "quant/pack_groups.h"
#include "quant/q2_k/block.h"

namespace skald {

static void put(const BlockQ2K& b, int, int row, BlockQ2K::Group& to) {
  to.d[row] = b.d;
  to.min[row] = b.min ^ 0x8000;  // to be added
  for (int part = 0; part < 16; ++part) {
    to.scales[part][row] = b.parts[part] & 15;
    to.mins[part][row] = b.parts[part] >> 4;
  }
  for (int block = 0; block < 8; ++block) put_codes(codes_of(b, block), row, to.codes[block]);
}

extern const PanelLayout panels_q2_k;
const PanelLayout panels_q2_k = layout_of_groups<BlockQ2K, put>("q2_kx16");

}  // namespace skald
