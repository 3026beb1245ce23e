// dims: (heads, d_k, keys): a vector of keys is scored without horizontal sums, for a whole query group per load.
#include "kv/layout.h"

namespace skald {
namespace {

bool holds(const Format& format) { return format.block == 1; }

KeyPlace place(const Format& format, int64_t d_k) {
  const int64_t dimension = format.bytes(kPageKeys);
  return {.stride = dimension, .bytes = d_k * dimension};
}

}  // namespace

extern const KvLayout layout_dims;
const KvLayout layout_dims{.name = "dims", .order = KeyOrder::kDims, .holds = holds, .place = place};

}  // namespace skald
