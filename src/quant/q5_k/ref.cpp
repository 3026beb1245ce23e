// Decoder of q5_k.
#include "quant/blocks.h"
#include "quant/f16/block.h"
#include "quant/lined_blocks.h"
#include "quant/q5_k/block.h"

namespace skald {

static void set_scale(BlockQ5K& b, float largest) {
  b.d = f32_to_f16(largest / 1953);
  b.min = f32_to_f16(largest / 126);
}

extern const Format format_q5_k;
const Format format_q5_k = decoded_format<BlockQ5K, decode_lined, set_scale>("q5_k");

}  // namespace skald
