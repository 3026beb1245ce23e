#include "kv/cache.h"

#include <utility>

#include "base/checked.h"

namespace skald {

KvCache::KvCache(KvSpec spec, const KvLimits& limits) : spec_(std::move(spec)), limits_(limits) {
  for (const KvGroup& group : spec_.groups) {
    // Two more than the keys fill: those where the first keys end and where the last ones begin.
    int64_t pages = ceil_div(limits.max_keys, kPageKeys) + 2;
    // Not less where that is less: other layers may drop keys that a window still sees.
    if (group.window) pages = ceil_div(limits.sinks, kPageKeys) + ceil_div(group.window + limits.max_rows, kPageKeys) + 2;
    pools_.emplace_back(group.page_bytes, pages * limits.n_sequences);
    index_pools_.emplace_back(group.run_bytes, (ceil_div(pages * kPageKeys, spec_.run_keys) + 2) * limits.n_sequences);
  }
}

void KvCache::trim() {
  for (PagePool& pool : pools_) pool.trim();
  for (PagePool& pool : index_pools_) pool.trim();
}

int64_t KvCache::bytes() const {
  int64_t sum = 0;
  for (const PagePool& pool : pools_) sum += pool.bytes();
  for (const PagePool& pool : index_pools_) sum += pool.bytes();
  return sum;
}

}  // namespace skald
