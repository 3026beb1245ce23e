// Decoder of q3_k.
#include "quant/blocks.h"
#include "quant/f16/block.h"
#include "quant/q3_k/block.h"

namespace skald {

static void decode(const BlockQ3K& b, float* x) {
  const float d = f16_to_f32(b.d);
  for (int part = 0; part < 16; ++part) {
    const float scale = d * static_cast<float>(b.scale(part));
    for (int i = 0; i < 16; ++i) x[part * 16 + i] = scale * static_cast<float>(b.code(part / 2, part % 2 * 16 + i) - 4);
  }
}

static void set_scale(BlockQ3K& b, float largest) { b.d = f32_to_f16(largest / 128); }

extern const Format format_q3_k;
const Format format_q3_k = decoded_format<BlockQ3K, decode, set_scale>("q3_k");

}  // namespace skald
