// Encoder of tq1_0.
#include "quant/encoder.h"
#include "quant/f16/block.h"
#include "quant/search/levels.h"
#include "quant/search/scale.h"
#include "quant/tq1_0/block.h"

namespace skald {

// `width` bytes of n digits each. Fewer than five leave the lowest places free.
static const uint8_t* encode_digits(const uint8_t* digits, int width, int n, uint8_t* q) {
  for (int i = 0; i < width; ++i) {
    int number = 0;
    for (int digit = 0; digit < 5; ++digit) number = number * 3 + (digit < n ? digits[digit * width + i] : 0);
    q[i] = static_cast<uint8_t>((number * 256 + 242) / 243);
  }
  return digits + n * width;
}

static void encode(const float* x, const float* w, BlockTq1_0& out) {
  using Levels = Steps<-1, 1>;
  out.d = finite_f16(best_scale<Levels, 256, 3>(x, w, {0.6f, 0.2f}).scale);
  uint8_t digits[256];
  put_numbers<Levels, 256>(x, f16_to_f32(out.d), 0, digits);
  const uint8_t* rest = encode_digits(digits, 32, 5, out.q);
  rest = encode_digits(rest, 16, 5, out.q + 32);
  encode_digits(rest, 4, 4, out.high);
}

extern const Encoder encoder_tq1_0;
const Encoder encoder_tq1_0 = encoder_of_blocks<BlockTq1_0, encode>();

}  // namespace skald
