// Encoder of q5_1.
#include "quant/encoder.h"
#include "quant/f16/block.h"
#include "quant/put_codes.h"
#include "quant/q5_1/block.h"
#include "quant/search/line.h"

namespace skald {

static void encode(const float* x, const float* w, BlockQ5_1& out) {
  const Line line = best_line<31, false, 32, 3>(x, w, {26, 0.5f});
  out.d = finite_f16(line.scale);
  out.m = finite_f16(line.offset);
  uint8_t codes[32];
  put_numbers<Steps<0, 31>, 32>(x, f16_to_f32(out.d), -f16_to_f32(out.m), codes);
  put_five_bits(codes, out.q, out.high);
}

extern const Encoder encoder_q5_1;
const Encoder encoder_q5_1 = encoder_of_blocks<BlockQ5_1, encode>();

}  // namespace skald
