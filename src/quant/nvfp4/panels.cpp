// nvfp4 in panels.
#include "quant/nvfp4/block.h"
#include "quant/pack_groups.h"

namespace skald {

static void put(const BlockNvfp4& b, int, int row, BlockNvfp4::Group& to) {
  for (int part = 0; part < 4; ++part) to.short_d[part][row] = static_cast<uint8_t>(nvfp4_scale(b.d[part]) >> 7);
  for (int block = 0; block < 2; ++block) {
    RowCodes codes;
    for (int part = 0; part < 2; ++part)
      for (int i = 0; i < 8; ++i) {
        const uint8_t both = b.q[2 * block + part][i];
        codes.of[16 * part + i] = both & 15;
        codes.of[16 * part + i + 8] = both >> 4;
      }
    put_codes(codes, row, to.codes[block]);
  }
}

extern const PanelLayout panels_nvfp4;
const PanelLayout panels_nvfp4 = layout_of_groups<BlockNvfp4, put>("nvfp4x16");

}  // namespace skald
