// Decoder of q4_k.
#include "quant/blocks.h"
#include "quant/f16/block.h"
#include "quant/q4_k/block.h"

namespace skald {

static void decode(const BlockQ4K& b, float* x) {
  const float d = f16_to_f32(b.d), min = f16_to_f32(b.min);
  for (int part = 0; part < 8; ++part) {
    const float scale = d * static_cast<float>(b.parts.scale(part)), offset = min * static_cast<float>(b.parts.offset(part));
    for (int i = 0; i < 32; ++i) x[part * 32 + i] = scale * static_cast<float>(b.code(part, i)) - offset;
  }
}

static void set_scale(BlockQ4K& b, float largest) {
  b.d = f32_to_f16(largest / 945);
  b.min = f32_to_f16(largest / 126);
}

extern const Format format_q4_k;
const Format format_q4_k = decoded_format<BlockQ4K, decode, set_scale>("q4_k");

}  // namespace skald
