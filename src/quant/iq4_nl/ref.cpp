// Decoder of iq4_nl.
#include "quant/blocks.h"
#include "quant/f16/block.h"
#include "quant/iq4_nl/block.h"

namespace skald {

static void decode(const BlockIq4Nl& b, float* x) {
  const float d = f16_to_f32(b.d);
  for (int i = 0; i < 16; ++i) {
    x[i] = d * static_cast<float>(kIq4Levels[b.q[i] & 15]);
    x[i + 16] = d * static_cast<float>(kIq4Levels[b.q[i] >> 4]);
  }
}

static void set_scale(BlockIq4Nl& b, float largest) { b.d = f32_to_f16(largest / 127); }

extern const Format format_iq4_nl;
const Format format_iq4_nl = decoded_format<BlockIq4Nl, decode, set_scale>("iq4_nl");

}  // namespace skald
