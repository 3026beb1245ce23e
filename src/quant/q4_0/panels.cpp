// q4_0 in panels: four columns of 16 rows at a time; the pairs of nibbles stay those of the blocks.
#include "quant/panels.h"

#include <cstring>

#include "quant/q4_0/block.h"

namespace skald {
namespace {

void pack_block(const PackArgs& a, int64_t block, uint16_t (&d)[16], uint8_t (&q)[4][16][4]) {
  for (int64_t r = 0; r < a.n_rows; ++r) {
    const BlockQ4_0& from = reinterpret_cast<const BlockQ4_0*>(a.rows + r * a.row_bytes)[block];
    d[r] = from.d;
    for (int step = 0; step < 4; ++step) std::memcpy(q[step][r], from.q + 4 * step, 4);
  }
}

void pack(const PackArgs& a, std::byte* to) {
  auto* group = reinterpret_cast<GroupQ4_0*>(to);
  const int64_t blocks = a.k / BlockQ4_0::kSize;
  if (a.n_rows < kPanelRows || blocks % 2) std::memset(to, 0, static_cast<size_t>((blocks + 1) / 2) * sizeof(GroupQ4_0));
  for (int64_t b = 0; b < blocks; ++b) pack_block(a, b, group[b / 2].d[b % 2], group[b / 2].q[b % 2]);
}

}  // namespace

extern const PanelLayout panels_q4_0;
const PanelLayout panels_q4_0{"q4_0x16",           BlockQ4_0::kId,    kPanelTypes + BlockQ4_0::kId,
                              GroupQ4_0::kColumns, sizeof(GroupQ4_0), pack};

}  // namespace skald
