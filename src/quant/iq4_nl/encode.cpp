// Encoder of iq4_nl.
#include "quant/encoder.h"
#include "quant/f16/block.h"
#include "quant/iq4_nl/block.h"
#include "quant/iq4_nl/levels.h"
#include "quant/search/scale.h"

namespace skald {

static void encode(const float* x, const float* w, BlockIq4Nl& out) {
  out.d = finite_f16(best_scale<Iq4Levels, 32, 2>(x, w, {-145, 5}).scale);
  uint8_t codes[32];
  put_numbers<Iq4Levels, 32>(x, f16_to_f32(out.d), 0, codes);
  for (int i = 0; i < 16; ++i) out.q[i] = static_cast<uint8_t>(codes[i] | codes[i + 16] << 4);
}

extern const Encoder encoder_iq4_nl;
const Encoder encoder_iq4_nl = encoder_of_blocks<BlockIq4Nl, encode>();

}  // namespace skald
