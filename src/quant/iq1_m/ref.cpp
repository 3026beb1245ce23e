// Decoder of iq1_m.
#include "quant/blocks.h"
#include "quant/f16/block.h"
#include "quant/iq1_m/block.h"
#include "quant/iq1_s/block.h"
#include "quant/iq1_s/grid.h"

namespace skald {

static void decode(const BlockIq1M& b, float* x) {
  const float d = f16_to_f32(b.d());
  for (int i = 0; i < 32; ++i) {
    const float scale = d * static_cast<float>(2 * b.scale(i / 2) + 1), delta = b.bits(i) & 8 ? -kIq1Delta : kIq1Delta;
    for (const int8_t c : kIq1Grid[static_cast<size_t>(b.point(i))]) *x++ = scale * (static_cast<float>(c) + delta);
  }
}

static void set_scale(BlockIq1M& b, float largest) {
  const uint16_t d = f32_to_f16(largest / 17);
  for (int i = 0; i < 4; ++i) b.scales[i] = static_cast<uint16_t>((b.scales[i] & 0xfff) | (d >> 4 * i & 15) << 12);
}

extern const Format format_iq1_m;
const Format format_iq1_m = decoded_format<BlockIq1M, decode, set_scale>("iq1_m");

}  // namespace skald
