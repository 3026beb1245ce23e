// rows: (heads, keys, d_k): a key is contiguous, as a choice of single keys needs it. Holds every format.
#include "kv/layout.h"

namespace skald {
namespace {

bool holds(const Format&) { return true; }

KeyPlace place(const Format& format, int64_t d_k) {
  const int64_t row = format.bytes(kv_columns(format, d_k));
  return {.stride = row, .bytes = kPageKeys * row};
}

}  // namespace

extern const KvLayout layout_rows;
const KvLayout layout_rows{.name = "rows", .order = KeyOrder::kRows, .holds = holds, .place = place};

}  // namespace skald
