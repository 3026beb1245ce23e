// Decoder of q8_k.
#include "quant/blocks.h"
#include "quant/q8_k/block.h"

namespace skald {

static void decode(const BlockQ8K& b, float* x) {
  for (int i = 0; i < BlockQ8K::kSize; ++i) x[i] = b.d * static_cast<float>(b.q[i]);
}

static void set_scale(BlockQ8K& b, float largest) { b.d = largest / 128; }

extern const Format format_q8_k;
const Format format_q8_k = decoded_format<BlockQ8K, decode, set_scale>("q8_k");

}  // namespace skald
