// Decoder of q2_0.
#include "quant/blocks.h"
#include "quant/f16/block.h"
#include "quant/q2_0/block.h"

namespace skald {

static void decode(const BlockQ2_0& b, float* x) {
  const float d = f16_to_f32(b.d);
  for (int i = 0; i < BlockQ2_0::kSize; ++i) x[i] = d * static_cast<float>(b.code(i / 32, i % 32) - 1);
}

// Of either sign: the levels alone have a mean of half a scale.
static void set_scale(BlockQ2_0& b, float largest) { b.d = f32_to_f16(b.d & 1 ? largest / 2 : -largest / 2); }

extern const Format format_q2_0;
const Format format_q2_0 = decoded_format<BlockQ2_0, decode, set_scale>("q2_0");

}  // namespace skald
