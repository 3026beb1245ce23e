// Decoder of q6_k.
#include "quant/blocks.h"
#include "quant/f16/block.h"
#include "quant/q6_k/block.h"

namespace skald {

static void decode(const BlockQ6K& b, float* x) {
  const float d = f16_to_f32(b.d);
  for (int part = 0; part < 16; ++part) {
    const float scale = d * static_cast<float>(b.scales[part]);
    for (int i = 0; i < 16; ++i) x[part * 16 + i] = scale * static_cast<float>(b.code(part / 2, part % 2 * 16 + i) - 32);
  }
}

static void set_scale(BlockQ6K& b, float largest) { b.d = f32_to_f16(largest / 4096); }

extern const Format format_q6_k;
const Format format_q6_k = decoded_format<BlockQ6K, decode, set_scale>("q6_k");

}  // namespace skald
