// Decoder of iq2_xxs.
#include <cstring>

#include "quant/blocks.h"
#include "quant/f16/block.h"
#include "quant/iq2_xxs/block.h"
#include "quant/iq2_xxs/grid.h"

namespace skald {

static void decode(const BlockIq2Xxs& b, float* x) {
  const float d = f16_to_f32(b.d);
  for (const BlockIq2Xxs::Part& part : b.parts) {
    uint32_t bits;
    std::memcpy(&bits, part.signs_and_scale, sizeof bits);
    const float scale = d * (0.5f + static_cast<float>(bits >> 28)) * 0.25f;
    for (int i = 0; i < 4; ++i) x = put_signed(kIq2XxsGrid[part.points[i]], even_signs(bits >> 7 * i & 127), scale, x);
  }
}

static void set_scale(BlockIq2Xxs& b, float largest) { b.d = f32_to_f16(largest / 167); }

extern const Format format_iq2_xxs;
const Format format_iq2_xxs = decoded_format<BlockIq2Xxs, decode, set_scale>("iq2_xxs");

}  // namespace skald
