// Codec of f16.
#include <bit>

#include "quant/f16/block.h"
#include "tensor/format.h"

namespace skald {
namespace {

// As f16_to_f32, without branches, so that compilers have vectors for it.
float decode_one(uint16_t half) {
  constexpr uint32_t kTiny = 0x38800000;  // 2^-14, to which a denormal's mantissa is added
  const uint32_t bits = uint32_t{half} << 13, magnitude = bits & 0x0fffe000u;
  const float denormal = std::bit_cast<float>(kTiny + magnitude) - std::bit_cast<float>(kTiny);
  const uint32_t normal = magnitude + (112u << 23);
  const uint32_t special = magnitude | 0x7f800000u | (magnitude > 0x0f800000u ? 0x400000u : 0u);
  const uint32_t value = magnitude < 0x00800000u    ? std::bit_cast<uint32_t>(denormal)
                         : magnitude >= 0x0f800000u ? special
                                                    : normal;
  return std::bit_cast<float>(value | (uint32_t{half} & 0x8000u) << 16);
}

void decode(const void* src, float* dst, int64_t n) {
  const auto* blocks = static_cast<const BlockF16*>(src);
  for (int64_t i = 0; i < n; ++i) dst[i] = decode_one(blocks[i].x);
}

// As f32_to_f16, in the same way. Numbers below 2^-14 are rounded by adding 0.5, whose last bit counts units of 2^-24.
uint16_t encode_one(float value) {
  constexpr uint32_t kHalf = 0x3f000000, kInfinity = 0x7f800000;
  const uint32_t bits = std::bit_cast<uint32_t>(value), magnitude = bits & 0x7fffffffu;
  const uint32_t denormal = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - kHalf;
  const uint32_t normal = (magnitude - 0x38000000u + 0xfffu + (magnitude >> 13 & 1)) >> 13;
  const uint32_t special = magnitude > kInfinity ? 0x7e00u | (magnitude >> 13 & 0x3ffu) : 0x7c00u;
  const uint32_t half = magnitude < 0x38800000u ? denormal : magnitude >= 0x477ff000u ? special : normal;
  return static_cast<uint16_t>((bits >> 16 & 0x8000u) | half);
}

void encode(const float* src, void* dst, int64_t n) {
  auto* blocks = static_cast<BlockF16*>(dst);
  for (int64_t i = 0; i < n; ++i) blocks[i].x = encode_one(src[i]);
}

}  // namespace

extern const Format format_f16;
const Format format_f16{"f16", BlockF16::kId, BlockF16::kSize, sizeof(BlockF16), decode, encode};

}  // namespace skald
