// q6_k in fragments, for 256 columns: nibbles, then upper bits; then the 16 scales of each row, then their common ones.
#include "quant/fragments.h"

#include "quant/q6_k/block.h"

namespace skald {
namespace {

constexpr CodePlanes kPlanes{256, 4, 2};
constexpr int64_t kScaleBytes = 256, kRestBytes = kScaleBytes + 32;

void pack(const PackArgs& a, std::byte* steps) {
  pack_blocks<kPlanes, BlockQ6K, kRestBytes>(
      a, steps, [](const BlockQ6K& b, int i) { return static_cast<unsigned>(b.code(i / 32, i % 32)); },
      [](const BlockQ6K& b, int64_t row, int64_t, std::byte* rest) {
        std::memcpy(rest + row * 16, b.scales, sizeof b.scales);
        put_scale(rest + kScaleBytes, 0, row, b.d);
      });
}

}  // namespace

extern const FragmentLayout fragments_q6_k;
const FragmentLayout fragments_q6_k{BlockQ6K::kId, kPlanes.columns, kPlanes.bytes() + kRestBytes, pack};

}  // namespace skald
