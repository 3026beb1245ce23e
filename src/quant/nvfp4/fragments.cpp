// nvfp4 in fragments, for 128 columns: nibbles; then the eight scales of each row, without the bit that says nothing.
#include "quant/fragments.h"

#include "quant/nvfp4/block.h"

namespace skald {
namespace {

constexpr CodePlanes kPlanes{128, 4};
constexpr int64_t kRestBytes = 128;

unsigned code(const BlockNvfp4& b, int i) { return b.q[i / 16][i % 8] >> (i % 16 < 8 ? 0 : 4) & 15U; }

void pack(const PackArgs& a, std::byte* steps) {
  pack_blocks<kPlanes, BlockNvfp4, kRestBytes>(
      a, steps, code, [](const BlockNvfp4& b, int64_t row, int64_t block, std::byte* rest) {
        for (int part = 0; part < 4; ++part)
          rest[row * 8 + block * 4 + part] = static_cast<std::byte>(b.d[part] == 0x7f ? 0 : b.d[part] & 0x7f);
      });
}

}  // namespace

extern const FragmentLayout fragments_nvfp4;
const FragmentLayout fragments_nvfp4{BlockNvfp4::kId, kPlanes.columns, kPlanes.bytes() + kRestBytes, pack};

}  // namespace skald
