// Decoder of q4_k.
#include "quant/blocks.h"
#include "quant/f16/block.h"
#include "quant/lined_blocks.h"
#include "quant/q4_k/block.h"

namespace skald {

static void set_scale(BlockQ4K& b, float largest) {
  b.d = f32_to_f16(largest / 945);
  b.min = f32_to_f16(largest / 126);
}

extern const Format format_q4_k;
const Format format_q4_k = decoded_format<BlockQ4K, decode_lined, set_scale>("q4_k");

}  // namespace skald
