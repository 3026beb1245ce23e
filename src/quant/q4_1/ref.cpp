// Decoder of q4_1.
#include "quant/blocks.h"
#include "quant/f16/block.h"
#include "quant/q4_1/block.h"

namespace skald {

static void decode(const BlockQ4_1& b, float* x) {
  const float d = f16_to_f32(b.d), m = f16_to_f32(b.m);
  for (int i = 0; i < 16; ++i) {
    x[i] = d * static_cast<float>(b.q[i] & 15) + m;
    x[i + 16] = d * static_cast<float>(b.q[i] >> 4) + m;
  }
}

static void set_scale(BlockQ4_1& b, float largest) {
  b.d = f32_to_f16(largest / 7.5f);
  b.m = f32_to_f16(-largest);
}

extern const Format format_q4_1;
const Format format_q4_1 = decoded_format<BlockQ4_1, decode, set_scale>("q4_1");

}  // namespace skald
