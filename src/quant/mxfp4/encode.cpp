// Encoder of mxfp4.
#include "quant/encoder.h"
#include "quant/mxfp4/block.h"
#include "quant/search/levels.h"
#include "quant/search/scale.h"

namespace skald {

static constexpr std::array<float, 15> kRising = {-12, -8, -6, -4, -3, -2, -1, 0, 1, 2, 3, 4, 6, 8, 12};
static constexpr uint8_t kCodes[15] = {15, 14, 13, 12, 11, 10, 9, 0, 1, 2, 3, 4, 5, 6, 7};

// The exponent that brings the largest value to 4 or more, and less than 8, or a neighbour: larger ones do without clipping,
// smaller ones are finer. The least are left out: a quotient by them overflows.
static void encode(const float* x, const float* w, BlockMxfp4& out) {
  using Levels = Table<kRising>;
  const float peak = largest_magnitude<32>(x);
  const int middle = peak > 0 ? std::ilogb(peak) - 2 + 127 : 0;
  uint8_t exponents[kLanes];
  Lanes scales;
  for (int i = 0; i < kLanes; ++i) {
    exponents[i] = static_cast<uint8_t>(std::clamp(middle - 1 + i, 2, 254));
    scales[i] = mxfp4_scale(exponents[i]);
  }
  float errors[kLanes];
  store_lanes(errors, errors_at<Levels, 32>(x, w, scales));
  out.e = exponents[place_of_least(errors)];
  uint8_t numbers[32];
  put_numbers<Levels, 32>(x, mxfp4_scale(out.e), 0, numbers);
  for (int i = 0; i < 16; ++i) out.q[i] = static_cast<uint8_t>(kCodes[numbers[i]] | kCodes[numbers[i + 16]] << 4);
}

extern const Encoder encoder_mxfp4;
const Encoder encoder_mxfp4 = encoder_of_blocks<BlockMxfp4, encode>();

}  // namespace skald
