// Decoder of iq1_s.
#include "quant/blocks.h"
#include "quant/f16/block.h"
#include "quant/iq1_s/block.h"
#include "quant/iq1_s/grid.h"

namespace skald {

static void decode(const BlockIq1S& b, float* x) {
  const float d = f16_to_f32(b.d);
  for (int i = 0; i < 32; ++i) {
    const uint16_t bits = b.high[i / 4];
    const float scale = d * static_cast<float>(2 * (bits >> 12 & 7) + 1), delta = bits & 0x8000 ? -kIq1Delta : kIq1Delta;
    for (const int8_t c : kIq1Grid[static_cast<size_t>(b.point(i))]) *x++ = scale * (static_cast<float>(c) + delta);
  }
}

static void set_scale(BlockIq1S& b, float largest) { b.d = f32_to_f16(largest / 17); }

extern const Format format_iq1_s;
const Format format_iq1_s = decoded_format<BlockIq1S, decode, set_scale>("iq1_s");

}  // namespace skald
