// Decoder of q5_1.
#include "quant/blocks.h"
#include "quant/f16/block.h"
#include "quant/q5_1/block.h"

namespace skald {

static void decode(const BlockQ5_1& b, float* x) {
  const float d = f16_to_f32(b.d), m = f16_to_f32(b.m);
  for (int i = 0; i < 32; ++i) {
    const int low = b.q[i % 16] >> (i < 16 ? 0 : 4) & 15, high = b.high[i / 8] >> i % 8 & 1;
    x[i] = d * static_cast<float>(low | high << 4) + m;
  }
}

static void set_scale(BlockQ5_1& b, float largest) {
  b.d = f32_to_f16(largest / 15.5f);
  b.m = f32_to_f16(-largest);
}

extern const Format format_q5_1;
const Format format_q5_1 = decoded_format<BlockQ5_1, decode, set_scale>("q5_1");

}  // namespace skald
