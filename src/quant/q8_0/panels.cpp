// q8_0 in panels, for VPDPBUSD and VPMADDUBSW: four columns of 16 rows at a time, as unsigned bytes.
#include "quant/panels.h"

#include <cstring>

#include "quant/q8_0/block.h"

namespace skald {
namespace {

void pack_block(const PackArgs& a, int64_t block, uint16_t (&d)[16], uint8_t (&q)[8][16][4]) {
  for (int64_t r = 0; r < a.n_rows; ++r) {
    const BlockQ8_0& from = reinterpret_cast<const BlockQ8_0*>(a.rows + r * a.row_bytes)[block];
    d[r] = from.d;
    for (int step = 0; step < 8; ++step) {
      uint32_t four;
      std::memcpy(&four, from.q + 4 * step, sizeof four);
      four ^= 0x80808080u;  // + 128
      std::memcpy(q[step][r], &four, sizeof four);
    }
  }
}

void pack(const PackArgs& a, std::byte* to) {
  auto* group = reinterpret_cast<GroupQ8_0*>(to);
  const int64_t blocks = a.k / BlockQ8_0::kSize;
  if (a.n_rows < kPanelRows || blocks % 2) std::memset(to, 0, static_cast<size_t>((blocks + 1) / 2) * sizeof(GroupQ8_0));
  for (int64_t b = 0; b < blocks; ++b) pack_block(a, b, group[b / 2].d[b % 2], group[b / 2].q[b % 2]);
}

}  // namespace

extern const PanelLayout panels_q8_0;
const PanelLayout panels_q8_0{"q8_0x16",           BlockQ8_0::kId,    kPanelTypes + BlockQ8_0::kId,
                              GroupQ8_0::kColumns, sizeof(GroupQ8_0), pack};

}  // namespace skald
