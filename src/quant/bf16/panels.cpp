// bf16 in panels: pairs of columns, as VDPBF16PS wants them, 16 rows each.
#include "quant/panels.h"

#include <cstring>

#include "quant/bf16/block.h"

namespace skald {
namespace {

void pack(const PackArgs& a, std::byte* to) {
  auto* group = reinterpret_cast<GroupBf16*>(to);
  if (a.n_rows < kPanelRows || a.k % 2) std::memset(to, 0, static_cast<size_t>((a.k + 1) / 2) * sizeof(GroupBf16));
  for (int64_t r = 0; r < a.n_rows; ++r) {
    const auto* row = reinterpret_cast<const BlockBf16*>(a.rows + r * a.row_bytes);
    for (int64_t c = 0; c < a.k; ++c) group[c / 2].x[r][c % 2] = row[c].x;
  }
}

}  // namespace

extern const PanelLayout panels_bf16;
const PanelLayout panels_bf16{"bf16x16",           BlockBf16::kId,    kPanelTypes + BlockBf16::kId,
                              GroupBf16::kColumns, sizeof(GroupBf16), pack};

}  // namespace skald
