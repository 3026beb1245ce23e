// q2_k in fragments, for 256 columns: codes; then the scales and offsets of each row, then what these have in common.
#include "quant/fragments.h"

#include "quant/q2_k/block.h"

namespace skald {
namespace {

constexpr CodePlanes kPlanes{256, 2};
constexpr int64_t kPartBytes = 256, kRestBytes = kPartBytes + 64;

void pack(const PackArgs& a, std::byte* steps) {
  pack_blocks<kPlanes, BlockQ2K, kRestBytes>(
      a, steps, [](const BlockQ2K& b, int i) { return static_cast<unsigned>(b.code(i / 32, i % 32)); },
      [](const BlockQ2K& b, int64_t row, int64_t, std::byte* rest) {
        std::memcpy(rest + row * 16, b.parts, sizeof b.parts);
        std::memcpy(rest + kPartBytes + row * 4, &b.d, sizeof b.d);
        std::memcpy(rest + kPartBytes + row * 4 + 2, &b.min, sizeof b.min);
      });
}

}  // namespace

extern const FragmentLayout fragments_q2_k;
const FragmentLayout fragments_q2_k{BlockQ2K::kId, kPlanes.columns, kPlanes.bytes() + kRestBytes, pack};

}  // namespace skald
