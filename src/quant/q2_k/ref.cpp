// Decoder of q2_k.
#include "quant/blocks.h"
#include "quant/f16/block.h"
#include "quant/q2_k/block.h"

namespace skald {

static void decode(const BlockQ2K& b, float* x) {
  const float d = f16_to_f32(b.d), min = f16_to_f32(b.min);
  for (int part = 0; part < 16; ++part) {
    const float scale = d * static_cast<float>(b.parts[part] & 15), offset = min * static_cast<float>(b.parts[part] >> 4);
    for (int i = 0; i < 16; ++i) x[part * 16 + i] = scale * static_cast<float>(b.code(part / 2, part % 2 * 16 + i)) - offset;
  }
}

static void set_scale(BlockQ2K& b, float largest) {
  b.d = f32_to_f16(largest / 45);
  b.min = f32_to_f16(largest / 30);
}

extern const Format format_q2_k;
const Format format_q2_k = decoded_format<BlockQ2K, decode, set_scale>("q2_k");

}  // namespace skald
