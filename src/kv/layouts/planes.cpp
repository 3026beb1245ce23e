// planes: (heads, keys, codes), then (heads, keys, scales) of each head: the codes of a key begin at an aligned address, so
// that a device loads many at once, also those of single keys. As many bytes as rows of blocks.
#include "kv/layout.h"

namespace skald {
namespace {

constexpr int64_t kScaleBytes = 2;  // of a block: a 16-bit float, which comes before its codes in a row

bool holds(const Format& format) { return format.block > 1; }

KeyPlace place(const Format& format, int64_t d_k) {
  const int64_t columns = kv_columns(format, d_k), row = format.bytes(columns);
  const int64_t scales = columns / format.block * kScaleBytes, codes = row - scales;
  return {.stride = codes, .bytes = kPageKeys * row, .scales = kPageKeys * codes, .scale_stride = scales};
}

}  // namespace

extern const KvLayout layout_planes;
const KvLayout layout_planes{.name = "planes", .order = KeyOrder::kPlanes, .holds = holds, .place = place};

}  // namespace skald
