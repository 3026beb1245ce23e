// Encoder of q1_0: signs stay, and the scale with the least error is the weighted mean of the magnitudes.
#include "quant/encoder.h"
#include "quant/f16/block.h"
#include "quant/q1_0/block.h"
#include "quant/search/lanes.h"

namespace skald {

static void encode(const float* x, const float* w, BlockQ1_0& out) {
  out = {};
  Lanes total{}, weight{};
  for (int i = 0; i < BlockQ1_0::kSize; i += kLanes) {
    const Lanes v = load_lanes(x + i), wi = load_lanes(w + i);
    total += wi * largest(v, -v);
    weight += wi;
  }
  out.d = finite_f16(sum(total) / sum(weight));
  for (int i = 0; i < BlockQ1_0::kSize; ++i) out.q[i / 8] = static_cast<uint8_t>(out.q[i / 8] | (x[i] >= 0) << i % 8);
}

extern const Encoder encoder_q1_0;
const Encoder encoder_q1_0 = encoder_of_blocks<BlockQ1_0, encode>();

}  // namespace skald
