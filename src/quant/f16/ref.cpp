// Codec of f16.
#include "quant/f16/block.h"
#include "tensor/format.h"

namespace skald {
namespace {

void decode(const void* src, float* dst, int64_t n) {
  const auto* blocks = static_cast<const BlockF16*>(src);
  for (int64_t i = 0; i < n; ++i) dst[i] = f16_to_f32(blocks[i].x);
}

void encode(const float* src, void* dst, int64_t n) {
  auto* blocks = static_cast<BlockF16*>(dst);
  for (int64_t i = 0; i < n; ++i) blocks[i].x = f32_to_f16(src[i]);
}

}  // namespace

extern const Format format_f16;
const Format format_f16{"f16", BlockF16::kId, BlockF16::kSize, sizeof(BlockF16), decode, encode};

}  // namespace skald
