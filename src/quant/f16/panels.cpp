// f16 in panels: a column after the other, 16 rows each.
#include "quant/panels.h"

#include <cstring>

#include "quant/f16/block.h"

namespace skald {
namespace {

void pack(const PackArgs& a, std::byte* to) {
  auto* group = reinterpret_cast<GroupF16*>(to);
  if (a.n_rows < kPanelRows) std::memset(to, 0, static_cast<size_t>(a.k) * sizeof(GroupF16));
  for (int64_t r = 0; r < a.n_rows; ++r) {
    const auto* row = reinterpret_cast<const BlockF16*>(a.rows + r * a.row_bytes);
    for (int64_t c = 0; c < a.k; ++c) group[c].x[r] = row[c].x;
  }
}

}  // namespace

extern const PanelLayout panels_f16;
const PanelLayout panels_f16{"f16x16",           BlockF16::kId,    kPanelTypes + BlockF16::kId,
                             GroupF16::kColumns, sizeof(GroupF16), pack};

}  // namespace skald
