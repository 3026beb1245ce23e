// Encoder of tq2_0.
#include "quant/encoder.h"
#include "quant/f16/block.h"
#include "quant/put_codes.h"
#include "quant/search/levels.h"
#include "quant/search/scale.h"
#include "quant/tq2_0/block.h"

namespace skald {

static void encode(const float* x, const float* w, BlockTq2_0& out) {
  using Levels = Steps<-1, 1>;
  out = {};
  out.d = finite_f16(best_scale<Levels, 256, 3>(x, w, {0.6f, 0.2f}).scale);
  uint8_t codes[256];
  put_numbers<Levels, 256>(x, f16_to_f32(out.d), 0, codes);
  put_two_bits(codes, out.q);
}

extern const Encoder encoder_tq2_0;
const Encoder encoder_tq2_0 = encoder_of_blocks<BlockTq2_0, encode>();

}  // namespace skald
