// Decoder of iq2_xs.
#include "quant/blocks.h"
#include "quant/f16/block.h"
#include "quant/iq2_xs/block.h"
#include "quant/iq2_xs/grid.h"

namespace skald {

static void decode(const BlockIq2Xs& b, float* x) {
  const float d = f16_to_f32(b.d);
  for (int i = 0; i < 32; ++i) {
    const float scale = d * (0.5f + static_cast<float>(b.scales[i / 4] >> i / 2 % 2 * 4 & 15)) * 0.25f;
    x = put_signed(kIq2XsGrid[b.points[i] & 511], even_signs(b.points[i] >> 9), scale, x);
  }
}

static void set_scale(BlockIq2Xs& b, float largest) { b.d = f32_to_f16(largest / 167); }

extern const Format format_iq2_xs;
const Format format_iq2_xs = decoded_format<BlockIq2Xs, decode, set_scale>("iq2_xs");

}  // namespace skald
