// Decoder of iq3_xxs.
#include <cstring>

#include "quant/blocks.h"
#include "quant/f16/block.h"
#include "quant/iq3_xxs/block.h"
#include "quant/iq3_xxs/grid.h"

namespace skald {

static void decode(const BlockIq3Xxs& b, float* x) {
  const float d = f16_to_f32(b.d);
  for (int part = 0; part < 8; ++part) {
    uint32_t bits;
    std::memcpy(&bits, b.signs_and_scales[part], sizeof bits);
    const float scale = d * (0.5f + static_cast<float>(bits >> 28)) * 0.5f;
    for (int i = 0; i < 8; ++i) {
      const unsigned signs = even_signs(bits >> 7 * (i / 2) & 127);
      x = put_signed(kIq3XxsGrid[b.points[part * 8 + i]], signs >> i % 2 * 4, scale, x);
    }
  }
}

static void set_scale(BlockIq3Xxs& b, float largest) { b.d = f32_to_f16(largest / 481); }

extern const Format format_iq3_xxs;
const Format format_iq3_xxs = decoded_format<BlockIq3Xxs, decode, set_scale>("iq3_xxs");

}  // namespace skald
