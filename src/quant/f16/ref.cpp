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

void encode(const float* src, void* dst, int64_t n) {
  auto* blocks = static_cast<BlockF16*>(dst);
  for (int64_t i = 0; i < n; ++i) blocks[i].x = f32_to_f16(src[i]);
}

}  // namespace

extern const Format format_f16;
const Format format_f16{"f16", BlockF16::kId, BlockF16::kSize, sizeof(BlockF16), decode, encode};

}  // namespace skald
