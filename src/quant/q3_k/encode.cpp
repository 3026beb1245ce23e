// Encoder of q3_k.
#include "quant/encoder.h"
#include "quant/q3_k/block.h"
#include "quant/search/parts.h"

namespace skald {

static void encode(const float* x, const float* w, BlockQ3K& out) {
  const ScaledParts<16> parts = fit_scaled_parts<Steps<-4, 3>, 16, -32, 31, 2>(x, w, {-5.8f, 0.4f});
  out = {};
  out.d = parts.d;
  for (int p = 0; p < 16; ++p) {
    const int scale = parts.scales[p] + 32;
    out.scales[p % 8] = static_cast<uint8_t>(out.scales[p % 8] | (scale & 15) << p / 8 * 4);
    out.scales[8 + p % 4] = static_cast<uint8_t>(out.scales[8 + p % 4] | scale >> 4 << p / 4 * 2);
  }
  for (int i = 0; i < 256; ++i) {
    uint8_t &low = out.low[i / 128 * 32 + i % 32], &high = out.high[i % 32];
    low = static_cast<uint8_t>(low | (parts.codes[i] & 3) << i / 32 % 4 * 2);
    high = static_cast<uint8_t>(high | parts.codes[i] >> 2 << i / 32);
  }
}

extern const Encoder encoder_q3_k;
const Encoder encoder_q3_k = encoder_of_blocks<BlockQ3K, encode>();

}  // namespace skald
