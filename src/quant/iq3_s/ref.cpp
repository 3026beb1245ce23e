// Decoder of iq3_s.
#include "quant/blocks.h"
#include "quant/f16/block.h"
#include "quant/iq3_s/block.h"
#include "quant/iq3_s/grid.h"

namespace skald {

static void decode(const BlockIq3S& b, float* x) {
  const float d = f16_to_f32(b.d);
  for (int i = 0; i < 64; ++i) {
    const float scale = d * static_cast<float>(1 + 2 * (b.scales[i / 16] >> i / 8 % 2 * 4 & 15));
    x = put_signed(kIq3SGrid[static_cast<size_t>(b.point(i))], unsigned{b.signs[i / 2]} >> i % 2 * 4, scale, x);
  }
}

static void set_scale(BlockIq3S& b, float largest) { b.d = f32_to_f16(largest / 465); }

extern const Format format_iq3_s;
const Format format_iq3_s = decoded_format<BlockIq3S, decode, set_scale>("iq3_s");

}  // namespace skald
