// Encoder of iq4_xs.
#include "quant/encoder.h"
#include "quant/iq4_nl/levels.h"
#include "quant/iq4_xs/block.h"
#include "quant/search/parts.h"

namespace skald {

static void encode(const float* x, const float* w, BlockIq4Xs& out) {
  const ScaledParts<32> parts = fit_scaled_parts<Iq4Levels, 32, -32, 31, 2>(x, w, {-145, 5});
  out = {};
  out.d = parts.d;
  for (int p = 0; p < 8; ++p) {
    const int scale = parts.scales[p] + 32;
    out.scales_low[p / 2] = static_cast<uint8_t>(out.scales_low[p / 2] | (scale & 15) << p % 2 * 4);
    out.scales_high = static_cast<uint16_t>(out.scales_high | scale >> 4 << 2 * p);
    const uint8_t* codes = parts.codes + 32 * p;
    for (int i = 0; i < 16; ++i) out.q[16 * p + i] = static_cast<uint8_t>(codes[i] | codes[i + 16] << 4);
  }
}

extern const Encoder encoder_iq4_xs;
const Encoder encoder_iq4_xs = encoder_of_blocks<BlockIq4Xs, encode>();

}  // namespace skald
