// Encoder of q4_k.
#include "quant/encoder.h"
#include "quant/put_codes.h"
#include "quant/q4_k/block.h"
#include "quant/search/parts.h"

namespace skald {

static void encode(const float* x, const float* w, BlockQ4K& out) {
  const LinedParts<32> parts = fit_lined_parts<32, 15, 63, 2>(x, w, {12, 0.5f});
  out.d = parts.d;
  out.min = parts.min;
  out.parts = SixBitPairs::of(parts.scales, parts.offsets);
  put_nibble_pairs(parts.codes, out.q);
}

extern const Encoder encoder_q4_k;
const Encoder encoder_q4_k = encoder_of_blocks<BlockQ4K, encode>();

}  // namespace skald
