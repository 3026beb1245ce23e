// Decoder of tq2_0.
#include "quant/blocks.h"
#include "quant/f16/block.h"
#include "quant/tq2_0/block.h"

namespace skald {

static void decode(const BlockTq2_0& b, float* x) {
  const float d = f16_to_f32(b.d);
  for (int part = 0; part < 8; ++part)
    for (int i = 0; i < 32; ++i) x[part * 32 + i] = d * static_cast<float>(b.code(part, i) - 1);
}

// Digits 3, which are none, become 1.
static void set_scale(BlockTq2_0& b, float largest) {
  b.d = f32_to_f16(largest);
  for (uint8_t& q : b.q) q = static_cast<uint8_t>(q & ~((q & q >> 1 & 0x55) << 1));
}

extern const Format format_tq2_0;
const Format format_tq2_0 = decoded_format<BlockTq2_0, decode, set_scale>("tq2_0");

}  // namespace skald
