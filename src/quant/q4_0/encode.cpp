// Encoder of q4_0. Where all weights count the same it is the plain codec, at the speed of disks.
#include "quant/encoder.h"
#include "quant/f16/block.h"
#include "quant/q4_0/block.h"
#include "quant/search/levels.h"
#include "quant/search/scale.h"

namespace skald {

extern const Format format_q4_0;

static void encode_one(const float* x, const float* w, BlockQ4_0& out) {
  using Levels = Steps<-8, 7>;
  out.d = finite_f16(best_scale<Levels, 32, 3>(x, w, {-9.6f, 0.25f}).scale);
  uint8_t codes[32];
  put_numbers<Levels, 32>(x, f16_to_f32(out.d), 0, codes);
  for (int i = 0; i < 16; ++i) out.q[i] = static_cast<uint8_t>(codes[i] | codes[i + 16] << 4);
}

static void encode(const float* x, const float* importance, void* blocks, int64_t n) {
  static constexpr Encoder kWeighted = encoder_of_blocks<BlockQ4_0, encode_one>();
  if (importance)
    kWeighted.encode(x, importance, blocks, n);
  else
    format_q4_0.encode(x, blocks, n);
}

extern const Encoder encoder_q4_0;
const Encoder encoder_q4_0 = {BlockQ4_0::kId, encode};

}  // namespace skald
