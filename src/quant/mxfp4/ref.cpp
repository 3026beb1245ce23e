// Decoder of mxfp4.
#include <algorithm>
#include <cmath>

#include "quant/blocks.h"
#include "quant/mxfp4/block.h"

namespace skald {

static void decode(const BlockMxfp4& b, float* x) {
  const float d = mxfp4_scale(b.e);
  for (int i = 0; i < 16; ++i) {
    x[i] = d * static_cast<float>(kMxfp4Levels[b.q[i] & 15]);
    x[i + 16] = d * static_cast<float>(kMxfp4Levels[b.q[i] >> 4]);
  }
}

static void set_scale(BlockMxfp4& b, float largest) {
  b.e = static_cast<uint8_t>(std::clamp(128 + std::ilogb(largest / 12), 0, 254));
}

extern const Format format_mxfp4;
const Format format_mxfp4 = decoded_format<BlockMxfp4, decode, set_scale>("mxfp4");

}  // namespace skald
