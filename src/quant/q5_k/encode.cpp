// Encoder of q5_k.
#include "quant/encoder.h"
#include "quant/put_codes.h"
#include "quant/q5_k/block.h"
#include "quant/search/parts.h"

namespace skald {

static void encode(const float* x, const float* w, BlockQ5K& out) {
  const LinedParts<32> parts = fit_lined_parts<32, 31, 63, 2>(x, w, {24, 1});
  out = {};
  out.d = parts.d;
  out.min = parts.min;
  out.parts = SixBitPairs::of(parts.scales, parts.offsets);
  put_nibble_pairs(parts.codes, out.low);
  for (int i = 0; i < 256; ++i) out.high[i % 32] = static_cast<uint8_t>(out.high[i % 32] | parts.codes[i] >> 4 << i / 32);
}

extern const Encoder encoder_q5_k;
const Encoder encoder_q5_k = encoder_of_blocks<BlockQ5K, encode>();

}  // namespace skald
