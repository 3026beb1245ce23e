// Encoder of q5_0.
#include "quant/encoder.h"
#include "quant/f16/block.h"
#include "quant/put_codes.h"
#include "quant/q5_0/block.h"
#include "quant/search/levels.h"
#include "quant/search/scale.h"

namespace skald {

static void encode(const float* x, const float* w, BlockQ5_0& out) {
  using Levels = Steps<-16, 15>;
  out.d = finite_f16(best_scale<Levels, 32, 3>(x, w, {-20, 0.5f}).scale);
  uint8_t codes[32];
  put_numbers<Levels, 32>(x, f16_to_f32(out.d), 0, codes);
  put_five_bits(codes, out.q, out.high);
}

extern const Encoder encoder_q5_0;
const Encoder encoder_q5_0 = encoder_of_blocks<BlockQ5_0, encode>();

}  // namespace skald
