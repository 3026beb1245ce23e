// Decoder of nvfp4.
#include <algorithm>
#include <cmath>

#include "quant/blocks.h"
#include "quant/f16/block.h"
#include "quant/nvfp4/block.h"

namespace skald {

static void decode(const BlockNvfp4& b, float* x) {
  for (int part = 0; part < 4; ++part, x += 16) {
    const float d = f16_to_f32(nvfp4_scale(b.d[part]));
    for (int i = 0; i < 8; ++i) {
      x[i] = d * static_cast<float>(kMxfp4Levels[b.q[part][i] & 15]);
      x[i + 8] = d * static_cast<float>(kMxfp4Levels[b.q[part][i] >> 4]);
    }
  }
}

// The least scale is 2^-10; the parts of a block differ by up to seven steps of a scale.
static void set_scale(BlockNvfp4& b, float largest) {
  const float scale = largest / 12;
  const int e = std::clamp(std::ilogb(scale) + 8, 1, 15), m = static_cast<int>(std::ldexp(scale, 11 - e));
  for (uint8_t& d : b.d) d = static_cast<uint8_t>(std::clamp(8 * (e - 1) + std::min(m, 15) - (d & 7), 1, 0x7e));
}

extern const Format format_nvfp4;
const Format format_nvfp4 = decoded_format<BlockNvfp4, decode, set_scale>("nvfp4");

}  // namespace skald
