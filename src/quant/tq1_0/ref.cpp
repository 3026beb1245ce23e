// Decoder of tq1_0.
#include "quant/blocks.h"
#include "quant/f16/block.h"
#include "quant/tq1_0/block.h"

namespace skald {

// Digits 0 to n - 1 of `width` bytes.
static float* decode_digits(const uint8_t* q, int width, int n, float d, float* x) {
  uint8_t power = 1;
  for (int digit = 0; digit < n; ++digit, power = static_cast<uint8_t>(power * 3))
    for (int i = 0; i < width; ++i) *x++ = d * static_cast<float>((static_cast<uint8_t>(q[i] * power) * 3 >> 8) - 1);
  return x;
}

static void decode(const BlockTq1_0& b, float* x) {
  const float d = f16_to_f32(b.d);
  x = decode_digits(b.q, 32, 5, d, x);
  x = decode_digits(b.q + 32, 16, 5, d, x);
  decode_digits(b.high, 4, 4, d, x);
}

static void set_scale(BlockTq1_0& b, float largest) { b.d = f32_to_f16(largest); }

extern const Format format_tq1_0;
const Format format_tq1_0 = decoded_format<BlockTq1_0, decode, set_scale>("tq1_0");

}  // namespace skald
