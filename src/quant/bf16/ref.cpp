// Codec of bf16.
#include "quant/bf16/block.h"
#include "tensor/format.h"

namespace skald {
namespace {

void decode(const void* src, float* dst, int64_t n) {
  const auto* blocks = static_cast<const BlockBf16*>(src);
  for (int64_t i = 0; i < n; ++i) dst[i] = bf16_to_f32(blocks[i].x);
}

void encode(const float* src, void* dst, int64_t n) {
  auto* blocks = static_cast<BlockBf16*>(dst);
  for (int64_t i = 0; i < n; ++i) blocks[i].x = f32_to_bf16(src[i]);
}

}  // namespace

extern const Format format_bf16;
const Format format_bf16{"bf16", BlockBf16::kId, BlockBf16::kSize, sizeof(BlockBf16), decode, encode};

}  // namespace skald
