// Encoder of q6_k.
#include "quant/encoder.h"
#include "quant/q6_k/block.h"
#include "quant/search/parts.h"

namespace skald {

static void encode(const float* x, const float* w, BlockQ6K& out) {
  const ScaledParts<16> parts = fit_scaled_parts<Steps<-32, 31>, 16, -128, 127, 2>(x, w, {-37, 1});
  out = {};
  out.d = parts.d;
  for (int p = 0; p < 16; ++p) out.scales[p] = static_cast<int8_t>(parts.scales[p]);
  for (int i = 0; i < 256; ++i) {
    uint8_t &low = out.low[i / 128 * 64 + i % 64], &high = out.high[i / 128 * 32 + i % 32];
    low = static_cast<uint8_t>(low | (parts.codes[i] & 15) << i / 64 % 2 * 4);
    high = static_cast<uint8_t>(high | parts.codes[i] >> 4 << i / 32 % 4 * 2);
  }
}

extern const Encoder encoder_q6_k;
const Encoder encoder_q6_k = encoder_of_blocks<BlockQ6K, encode>();

}  // namespace skald
