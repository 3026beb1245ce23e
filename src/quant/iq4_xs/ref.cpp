// Decoder of iq4_xs.
#include "quant/blocks.h"
#include "quant/f16/block.h"
#include "quant/iq4_nl/block.h"
#include "quant/iq4_xs/block.h"

namespace skald {

static void decode(const BlockIq4Xs& b, float* x) {
  const float d = f16_to_f32(b.d);
  for (int part = 0; part < 8; ++part) {
    const float scale = d * static_cast<float>(b.scale(part));
    for (int i = 0; i < 16; ++i) {
      x[part * 32 + i] = scale * static_cast<float>(kIq4Levels[b.q[part * 16 + i] & 15]);
      x[part * 32 + i + 16] = scale * static_cast<float>(kIq4Levels[b.q[part * 16 + i] >> 4]);
    }
  }
}

static void set_scale(BlockIq4Xs& b, float largest) { b.d = f32_to_f16(largest / 4096); }

extern const Format format_iq4_xs;
const Format format_iq4_xs = decoded_format<BlockIq4Xs, decode, set_scale>("iq4_xs");

}  // namespace skald
