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
  int64_t pages = most_pages(limits.max_keys);
  // Not less where that is less: other layers may drop keys that a window still sees.
  if (group.window)
    pages = ceil_div(limits.sinks, kPageKeys) + ceil_div(group.window + limits.rollback + limits.max_rows, kPageKeys) + 2;
  return {pages, ceil_div(pages * kPageKeys, group.run_keys) + 2};
}

// When all pages are there; as good as it gets where that overflows.
int64_t most_bytes(const KvSpec& spec, const KvLimits& limits) {
  double bytes = 0;
  for (const KvGroup& group : spec.groups) {
    const Pages pages = pages_of(group, limits);
    const auto slabs = static_cast<double>(ceil_div(pages.keys, group.slab.pages));
    bytes +=
        static_cast<double>(limits.n_sequences) * (slabs * static_cast<double>(group.slab.bytes) +
                                                   static_cast<double>(pages.index) * static_cast<double>(group.run_bytes));
  }
  return static_cast<int64_t>(std::min(bytes, 0x1p62));
}

}  // namespace

KvCache::KvCache(KvSpec spec, const KvLimits& limits)
    : spec_(std::move(spec)), limits_(limits), recurrent_(std::make_unique<RecurrentPool>(spec_.recurrent_floats)) {
  if (limits.lock) lock_ = std::make_unique<MemoryLock>("the KV cache", most_bytes(spec_, limits));
  for (const KvGroup& group : spec_.groups) {
    const Pages pages = pages_of(group, limits);
    pools_.emplace_back(group.slab, pages.keys * limits.n_sequences, lock_.get());
    index_pools_.emplace_back(PageSlab{group.run_bytes}, pages.index * limits.n_sequences, lock_.get());
  }
}

void KvCache::trim() {
  for (PagePool& pool : pools_) pool.trim();
  for (PagePool& pool : index_pools_) pool.trim();
  recurrent_->trim();
}

int64_t KvCache::bytes() const {
  int64_t sum = 0;
  for (const PagePool& pool : pools_) sum += pool.bytes();
  for (const PagePool& pool : index_pools_) sum += pool.bytes();
  return sum + recurrent_->bytes();
}

}  // namespace skald
