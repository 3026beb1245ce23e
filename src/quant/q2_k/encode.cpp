// Encoder of q2_k.
#include "quant/encoder.h"
#include "quant/put_codes.h"
#include "quant/q2_k/block.h"
#include "quant/search/parts.h"

namespace skald {

static void encode(const float* x, const float* w, BlockQ2K& out) {
  const LinedParts<16> parts = fit_lined_parts<16, 3, 15, 2>(x, w, {2.2f, 0.2f});
  out = {};
  out.d = parts.d;
  out.min = parts.min;
  for (int p = 0; p < 16; ++p) out.parts[p] = static_cast<uint8_t>(parts.scales[p] | parts.offsets[p] << 4);
  put_two_bits(parts.codes, out.q);
}

extern const Encoder encoder_q2_k;
const Encoder encoder_q2_k = encoder_of_blocks<BlockQ2K, encode>();

}  // namespace skald
