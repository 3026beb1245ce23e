// Encoder of q4_1.
#include "quant/encoder.h"
#include "quant/f16/block.h"
#include "quant/q4_1/block.h"
#include "quant/search/line.h"

namespace skald {

static void encode(const float* x, const float* w, BlockQ4_1& out) {
  const Line line = best_line<15, false, 32, 2>(x, w, {12, 0.5f});
  out.d = finite_f16(line.scale);
  out.m = finite_f16(line.offset);
  uint8_t codes[32];
  put_numbers<Steps<0, 15>, 32>(x, f16_to_f32(out.d), -f16_to_f32(out.m), codes);
  for (int i = 0; i < 16; ++i) out.q[i] = static_cast<uint8_t>(codes[i] | codes[i + 16] << 4);
}

extern const Encoder encoder_q4_1;
const Encoder encoder_q4_1 = encoder_of_blocks<BlockQ4_1, encode>();

}  // namespace skald
