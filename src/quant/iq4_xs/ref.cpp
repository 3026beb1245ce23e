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
    for (int i = part * 32; i < part * 32 + 32; ++i) x[i] = scale * static_cast<float>(kIq4Levels[b.nibble(i)]);
  }
}

static void set_scale(BlockIq4Xs& b, float largest) { b.d = f32_to_f16(largest / 4096); }

extern const Format format_iq4_xs;
const Format format_iq4_xs = decoded_format<BlockIq4Xs, decode, set_scale>("iq4_xs");

}  // namespace skald
