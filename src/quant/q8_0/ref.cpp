// Codec of q8_0; the encoder gives the bits of llama.cpp's quantize_row_q8_0_ref.
#include "quant/q8_0/block.h"

#include <cmath>

#include "quant/f16/block.h"
#include "quant/magnitudes.h"
#include "tensor/format.h"

namespace skald {
namespace {

void decode(const void* src, float* dst, int64_t n) {
  const auto* block = static_cast<const BlockQ8_0*>(src);
  for (int64_t i = 0; i < n; i += BlockQ8_0::kSize, ++block) {
    const float d = f16_to_f32(block->d);
    for (int j = 0; j < BlockQ8_0::kSize; ++j) dst[i + j] = d * static_cast<float>(block->q[j]);
  }
}

// Rounds half away from zero, in steps that compilers have vectors for. 0 for values that no byte holds: NaN, and infinity
// from a scale so small that 1 / d overflows.
int8_t to_byte(float scaled) {
  const float small = std::abs(scaled) < 128.0f ? scaled : 0.0f;
  const int whole = static_cast<int>(small);
  const float rest = small - static_cast<float>(whole);
  const int rounded = whole + (rest >= 0.5f ? 1 : 0) - (rest <= -0.5f ? 1 : 0);
  return static_cast<int8_t>(std::abs(rounded) <= 127 ? rounded : 0);
}

void encode(const float* src, void* dst, int64_t n) {
  auto* block = static_cast<BlockQ8_0*>(dst);
  for (int64_t i = 0; i < n; i += BlockQ8_0::kSize, ++block) {
    const float d = largest_magnitude<BlockQ8_0::kSize>(src + i) / 127.0f;
    const float inverse = d != 0 ? 1.0f / d : 0.0f;
    block->d = f32_to_f16(d);  // the bytes are made with the scale before it is rounded
    for (int j = 0; j < BlockQ8_0::kSize; ++j) block->q[j] = to_byte(src[i + j] * inverse);
  }
}

}  // namespace

extern const Format format_q8_0;
const Format format_q8_0{"q8_0", BlockQ8_0::kId, BlockQ8_0::kSize, sizeof(BlockQ8_0), decode, encode};

}  // namespace skald
