// q3_k in fragments, for 256 columns: lower bits, then third bits; then of each row the lower bits of scales, the upper
// ones of scales, and their common scale.
#include "quant/fragments.h"

#include "quant/q3_k/block.h"

namespace skald {
namespace {

constexpr CodePlanes kPlanes{256, 2, 1};
constexpr int64_t kLowBytes = 128, kHighBytes = 64, kRestBytes = kLowBytes + kHighBytes + 32;

void pack(const PackArgs& a, std::byte* steps) {
  pack_blocks<kPlanes, BlockQ3K, kRestBytes>(
      a, steps, [](const BlockQ3K& b, int i) { return static_cast<unsigned>(b.code(i / 32, i % 32)); },
      [](const BlockQ3K& b, int64_t row, int64_t, std::byte* rest) {
        std::memcpy(rest + row * 8, b.scales, 8);
        std::memcpy(rest + kLowBytes + row * 4, b.scales + 8, 4);
        put_scale(rest + kLowBytes + kHighBytes, 0, row, b.d);
      });
}

}  // namespace

extern const FragmentLayout fragments_q3_k;
const FragmentLayout fragments_q3_k{BlockQ3K::kId, kPlanes.columns, kPlanes.bytes() + kRestBytes, pack};

}  // namespace skald
