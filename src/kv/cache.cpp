#include "kv/cache.h"

#include <algorithm>
#include <utility>

#include "base/checked.h"

namespace skald {

namespace {

// Of one sequence.
struct Pages {
  int64_t keys, index;
};

Pages pages_of(const KvGroup& group, const KvLimits& limits) {
  // Two more than the keys fill: those where the first keys end and where the last ones begin.
  int64_t pages = ceil_div(limits.max_keys, kPageKeys) + 2;
  // Not less where that is less: other layers may drop keys that a window still sees.
  if (group.window) pages = ceil_div(limits.sinks, kPageKeys) + ceil_div(group.window + limits.max_rows, kPageKeys) + 2;
  return {pages, ceil_div(pages * kPageKeys, group.run_keys) + 2};
}

// When all pages are there; as good as it gets where that overflows.
int64_t most_bytes(const KvSpec& spec, const KvLimits& limits) {
  double bytes = 0;
  for (const KvGroup& group : spec.groups) {
    const Pages pages = pages_of(group, limits);
    bytes +=
        static_cast<double>(limits.n_sequences) * (static_cast<double>(pages.keys) * static_cast<double>(group.page_bytes) +
                                                   static_cast<double>(pages.index) * static_cast<double>(group.run_bytes));
  }
  return static_cast<int64_t>(std::min(bytes, 0x1p62));
}

}  // namespace

KvCache::KvCache(KvSpec spec, const KvLimits& limits) : spec_(std::move(spec)), limits_(limits) {
  if (limits.lock) lock_ = std::make_unique<MemoryLock>("the KV cache", most_bytes(spec_, limits));
  for (const KvGroup& group : spec_.groups) {
    const Pages pages = pages_of(group, limits);
    pools_.emplace_back(group.page_bytes, pages.keys * limits.n_sequences, lock_.get());
    index_pools_.emplace_back(group.run_bytes, pages.index * limits.n_sequences, lock_.get());
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
