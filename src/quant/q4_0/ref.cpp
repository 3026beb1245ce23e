// Codec of q4_0; the encoder gives the bits of llama.cpp's quantize_row_q4_0_ref.
#include "quant/q4_0/block.h"

#include <algorithm>
#include <cmath>

#include "quant/f16/block.h"
#include "quant/magnitudes.h"
#include "tensor/format.h"

namespace skald {
namespace {

constexpr int kHalf = BlockQ4_0::kSize / 2;

void decode(const void* src, float* dst, int64_t n) {
  const auto* block = static_cast<const BlockQ4_0*>(src);
  for (int64_t i = 0; i < n; i += BlockQ4_0::kSize, ++block) {
    const float d = f16_to_f32(block->d);
    for (int j = 0; j < kHalf; ++j) {
      dst[i + j] = d * static_cast<float>((block->q[j] & 0xf) - 8);
      dst[i + kHalf + j] = d * static_cast<float>((block->q[j] >> 4) - 8);
    }
  }
}

// Product and sum are rounded one after the other, as written. 0 for NaN and for infinity from a scale so small that 1 / d
// overflows; C leaves the conversion undefined there, which gives 0 on x86.
int to_nibble(float value, float inverse) {
  const float product = value * inverse;
  const float shifted = product + 8.5f;
  return std::min(15, static_cast<int>(std::abs(shifted) < 128.0f ? shifted : 0.0f));
}

void encode(const float* src, void* dst, int64_t n) {
  auto* block = static_cast<BlockQ4_0*>(dst);
  for (int64_t i = 0; i < n; i += BlockQ4_0::kSize, ++block) {
    const float d =
        peak_of<BlockQ4_0::kSize>(src + i) / -8.0f;  // gives that element the code 0, which has no positive counterpart
    const float inverse = d != 0 ? 1.0f / d : 0.0f;
    block->d = f32_to_f16(d);
    for (int j = 0; j < kHalf; ++j) {
      const int low = to_nibble(src[i + j], inverse), high = to_nibble(src[i + kHalf + j], inverse);
      block->q[j] = static_cast<uint8_t>(low | high << 4);
    }
  }
}

}  // namespace

extern const Format format_q4_0;
const Format format_q4_0{"q4_0", BlockQ4_0::kId, BlockQ4_0::kSize, sizeof(BlockQ4_0), decode, encode};

}  // namespace skald
