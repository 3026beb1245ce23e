// Decoder of iq2_s.
#include "quant/blocks.h"
#include "quant/f16/block.h"
#include "quant/iq2_s/block.h"
#include "quant/iq2_s/grid.h"

namespace skald {

static void decode(const BlockIq2S& b, float* x) {
  const float d = f16_to_f32(b.d);
  for (int i = 0; i < 32; ++i) {
    const float scale = d * (0.5f + static_cast<float>(b.scales[i / 4] >> i / 2 % 2 * 4 & 15)) * 0.25f;
    x = put_signed(kIq2SGrid[static_cast<size_t>(b.point(i))], b.signs[i], scale, x);
  }
}

static void set_scale(BlockIq2S& b, float largest) { b.d = f32_to_f16(largest / 167); }

extern const Format format_iq2_s;
const Format format_iq2_s = decoded_format<BlockIq2S, decode, set_scale>("iq2_s");

}  // namespace skald
