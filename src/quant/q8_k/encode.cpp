// Encoder of q8_k.
#include "quant/encoder.h"
#include "quant/q8_k/block.h"
#include "quant/search/levels.h"
#include "quant/search/scale.h"

namespace skald {

// The extreme value becomes -127 or 127.
static void encode(const float* x, const float*, BlockQ8K& out) {
  out = {};
  const float peak = largest_magnitude<256>(x);
  if (peak <= kNothing) return;
  out.d = peak / 127;
  uint8_t numbers[256];
  put_numbers<Steps<-127, 127>, 256>(x, out.d, 0, numbers);
  for (int i = 0; i < 256; ++i) {
    out.q[i] = static_cast<int8_t>(numbers[i] - 127);
    out.sums[i / 16] = static_cast<int16_t>(out.sums[i / 16] + out.q[i]);
  }
}

extern const Encoder encoder_q8_k;
const Encoder encoder_q8_k = encoder_of_blocks<BlockQ8K, encode>();

}  // namespace skald
