// iq4_xs in fragments, for 256 columns: nibbles; then what is before them in each row's block.
#include "quant/fragments.h"

#include "quant/iq4_xs/block.h"

namespace skald {
namespace {

constexpr CodePlanes kPlanes{256, 4};
constexpr int64_t kRestBytes = 128;

unsigned code(const BlockIq4Xs& b, int i) { return b.q[i / 32 * 16 + i % 16] >> i / 16 % 2 * 4 & 15U; }

void pack(const PackArgs& a, std::byte* steps) {
  pack_blocks<kPlanes, BlockIq4Xs, kRestBytes>(
      a, steps, code,
      [](const BlockIq4Xs& b, int64_t row, int64_t, std::byte* rest) { std::memcpy(rest + row * 8, &b, 8); });
}

}  // namespace

extern const FragmentLayout fragments_iq4_xs;
const FragmentLayout fragments_iq4_xs{BlockIq4Xs::kId, kPlanes.columns, kPlanes.bytes() + kRestBytes, pack};

}  // namespace skald
