// Decoder of q1_0.
#include "quant/blocks.h"
#include "quant/f16/block.h"
#include "quant/q1_0/block.h"

namespace skald {

static void decode(const BlockQ1_0& b, float* x) {
  const float d = f16_to_f32(b.d);
  for (int i = 0; i < BlockQ1_0::kSize; ++i) x[i] = b.code(i / 32, i % 32) ? d : -d;
}

static void set_scale(BlockQ1_0& b, float largest) { b.d = f32_to_f16(largest); }

extern const Format format_q1_0;
const Format format_q1_0 = decoded_format<BlockQ1_0, decode, set_scale>("q1_0");

}  // namespace skald
