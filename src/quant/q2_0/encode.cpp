// Encoder of q2_0.
#include "quant/encoder.h"
#include "quant/f16/block.h"
#include "quant/q2_0/block.h"
#include "quant/search/levels.h"
#include "quant/search/scale.h"

namespace skald {

// Scales have the sign of the extreme value, which may be twice as far out; of ternary blocks they are positive.
static void encode(const float* x, const float* w, BlockQ2_0& out) {
  using Levels = Steps<-1, 2>;
  constexpr int kN = BlockQ2_0::kSize;
  out = {};
  float scale = best_scale<Levels, kN, 3>(x, w, {0.6f, 0.2f}).scale;
  uint8_t codes[kN];
  put_numbers<Levels, kN>(x, f16_to_f32(finite_f16(scale)), 0, codes);
  if (scale < 0 && std::all_of(codes, codes + kN, [](uint8_t c) { return c < 3; })) {
    scale = -scale;
    for (uint8_t& c : codes) c = static_cast<uint8_t>(2 - c);
  }
  out.d = finite_f16(scale);
  for (int i = 0; i < kN; ++i) out.q[i / 4] = static_cast<uint8_t>(out.q[i / 4] | codes[i] << i % 4 * 2);
}

extern const Encoder encoder_q2_0;
const Encoder encoder_q2_0 = encoder_of_blocks<BlockQ2_0, encode>();

}  // namespace skald
