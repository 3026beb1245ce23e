// mxfp4 in fragments, for 128 columns: nibbles; then the four exponents of each row.
#include "quant/fragments.h"

#include "quant/mxfp4/block.h"

namespace skald {
namespace {

constexpr CodePlanes kPlanes{128, 4};
constexpr int64_t kRestBytes = 64;

void pack(const PackArgs& a, std::byte* steps) {
  pack_blocks<kPlanes, BlockMxfp4, kRestBytes>(
      a, steps, nibble_of<BlockMxfp4>,
      [](const BlockMxfp4& b, int64_t row, int64_t block, std::byte* rest) { rest[row * 4 + block] = std::byte{b.e}; });
}

}  // namespace

extern const FragmentLayout fragments_mxfp4;
const FragmentLayout fragments_mxfp4{BlockMxfp4::kId, kPlanes.columns, kPlanes.bytes() + kRestBytes, pack};

}  // namespace skald
