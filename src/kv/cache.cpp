#include "kv/cache.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/checked.h"
#include "base/error.h"

namespace skald {

namespace {

// Of one sequence.
struct Pages {
  int64_t keys, long_runs, short_runs, open;
};

Pages pages_of(const KvGroup& group, const KvLimits& limits) {
  int64_t pages = most_pages(limits.max_keys);
  // Not less where that is less: other layers may drop keys that a window still sees.
  if (group.window)
    pages = ceil_div(limits.sinks, kPageKeys) + ceil_div(group.window + limits.rollback + limits.max_rows, kPageKeys) + 2;
  const int64_t keys = pages * kPageKeys;
  const int64_t open = group.has_codes() ? ceil_div(limits.rollback + limits.max_rows, kPageKeys) + 2 : 0;
  return {pages, ceil_div(keys, group.run_keys) + 2, ceil_div(keys, group.short_keys) + 2, open};
}

// Of three copies of one sequence. The page where they begin is copied, and they go on in runs of their own.
Pages of_copies(const KvGroup& group, const KvLimits& limits) {
  if (!limits.copied) return {0, 0, 0, 0};
  constexpr int64_t kCopies = 3;
  const int64_t pages = kCopies * (ceil_div(limits.copied, kPageKeys) + 2);
  return {pages, kCopies * (ceil_div(limits.copied, group.run_keys) + 1),
          kCopies * (ceil_div(limits.copied, group.short_keys) + 1), group.has_codes() ? pages : 0};
}

// How many times one sequence's pages there are for all. A window's do not become fewer with a smaller total.
double times(const KvGroup& group, const KvLimits& limits) {
  const auto all = static_cast<double>(limits.n_sequences);
  if (group.window || !limits.total_keys) return all;
  return std::min(all, static_cast<double>(limits.total_keys) / static_cast<double>(limits.max_keys));
}

int64_t in_all(int64_t of_one, const KvGroup& group, const KvLimits& limits) {
  return static_cast<int64_t>(std::ceil(static_cast<double>(of_one) * times(group, limits)));
}

int64_t checkpoints_of(const KvSpec& spec, const KvLimits& limits) {
  if (!spec.recurrent_floats) return 0;
  const int64_t bytes = spec.recurrent_floats * static_cast<int64_t>(sizeof(float));
  return std::min(limits.checkpoints, limits.checkpoint_bytes / bytes);
}

int64_t most_states(const KvSpec& spec, const KvLimits& limits) {
  return spec.recurrent_floats ? limits.n_sequences + checkpoints_of(spec, limits) + (limits.copied ? 1 : 0) : 0;
}

}  // namespace

namespace {

// Sequences share the rows of a step: no more pages are open at once.
double open_pages_of_all(const Pages& of_one, const KvLimits& limits) {
  if (!of_one.open) return 0;
  const auto rows = static_cast<double>(ceil_div(limits.max_rows, kPageKeys));
  return rows + static_cast<double>(limits.n_sequences) * (static_cast<double>(of_one.open) - rows);
}

// In the memories that `counts` names.
template <class Counts>
int64_t most_bytes_in(const KvSpec& spec, const KvLimits& limits, Counts counts) {
  double floats = 0;
  for (size_t m = 0; m < spec.shares.size(); ++m)
    if (counts(m)) floats += static_cast<double>(spec.shares[m].recurrent_floats);
  double bytes = static_cast<double>(most_states(spec, limits)) * floats * sizeof(float);
  for (const KvGroup& group : spec.groups) {
    if (!counts(group.memory)) continue;
    const auto of = [&](const Pages& pages) {
      const auto slabs = static_cast<double>(ceil_div(pages.keys, group.slab.pages));
      return slabs * static_cast<double>(group.slab.bytes) +
             static_cast<double>(pages.long_runs) * static_cast<double>(group.run_bytes[0]);
    };
    const Pages one = pages_of(group, limits), copies = of_copies(group, limits);
    bytes += times(group, limits) * of(one) + of(copies);
    bytes += (open_pages_of_all(one, limits) + static_cast<double>(copies.open)) * static_cast<double>(group.open_bytes);
  }
  return static_cast<int64_t>(std::min(bytes, 0x1p62));
}

}  // namespace

int64_t most_bytes(const KvSpec& spec, const KvLimits& limits) {
  return most_bytes_in(spec, limits, [](size_t) { return true; });
}

KvCache::KvCache(KvSpec spec, const KvLimits& limits, std::vector<DeviceMemory*> memories)
    : spec_(std::move(spec)), limits_(limits), memories_(std::move(memories)) {
  SKALD_ASSERT(memories_.size() >= spec_.shares.size());
  if (limits.lock) {
    const auto visible = [this](size_t m) { return memories_[m]->host_visible(); };
    lock_ = std::make_unique<MemoryLock>("the KV cache", most_bytes_in(spec_, limits, visible));
  }
  std::vector<RecurrentPool::Piece> states;
  for (size_t m = 0; m < spec_.shares.size(); ++m)
    states.push_back({spec_.shares[m].recurrent_floats, lock_for(m), memories_[m]});
  recurrent_ = std::make_unique<RecurrentPool>(std::move(states), most_states(spec_, limits));
  for (const KvGroup& group : spec_.groups) {
    const Pages pages = pages_of(group, limits);
    const auto add = [&](std::deque<PagePool>& to, PageSlab slab, int64_t of_one, int64_t of_copies) {
      to.emplace_back(slab, in_all(of_one, group, limits) + of_copies, lock_for(group.memory), memory(group.memory));
      for_copies_.counts.push_back(of_copies);
    };
    const Pages copies = of_copies(group, limits);
    add(pools_, group.slab, pages.keys, copies.keys);
    add(index_pools_, {group.run_bytes[0]}, pages.long_runs, copies.long_runs);
    add(index_pools_, {group.run_bytes[1]}, pages.short_runs, copies.short_runs);
    open_pools_.emplace_back(PageSlab{group.open_bytes}, pages.open * limits.n_sequences + copies.open,
                             lock_for(group.memory), memory(group.memory));
    for_copies_.counts.push_back(copies.open);
    most_of_one_.counts.insert(most_of_one_.counts.end(), {pages.keys, pages.long_runs, pages.short_runs, pages.open});
  }
  most_of_one_.counts.push_back(spec_.recurrent_floats ? 1 : 0);
  for_copies_.counts.push_back(spec_.recurrent_floats && limits.copied ? 1 : 0);
  // A total may be less than one sequence could use.
  const KvRoom all = room();
  for (size_t i = 0; i + 1 < all.counts.size(); ++i)
    most_of_one_.counts[i] = std::min(most_of_one_.counts[i], all.counts[i]);
}

KvRoom KvCache::counts(int64_t (PagePool::*count)() const) const {
  KvRoom room;
  for (size_t g = 0; g < pools_.size(); ++g)
    for (const PagePool* pool : {&pools_[g], &index_pools_[2 * g], &index_pools_[2 * g + 1], &open_pools_[g]})
      room.counts.push_back((pool->*count)());
  return room;
}

KvRoom KvCache::room() const {
  KvRoom room = counts(&PagePool::available);
  room.counts.push_back(recurrent_->available());
  return room;
}

KvRoom KvCache::kept() const { return counts(&PagePool::kept); }

bool KvCache::keeps_any() const {
  const auto keeps = [](const PagePool& pool) { return pool.kept() > 0; };
  return std::ranges::any_of(pools_, keeps) || std::ranges::any_of(index_pools_, keeps);
}

int64_t KvCache::most_checkpoints() const { return checkpoints_of(spec_, limits_); }

std::optional<size_t> KvCache::widest() const {
  std::optional<size_t> widest;
  const auto width = [this](size_t g) { return std::pair(spec_.groups[g].window == 0, pools_[g].max_pages()); };
  for (size_t g = 0; g < pools_.size(); ++g)
    if (!widest || width(*widest) < width(g)) widest = g;
  return widest;
}

void KvCache::trim() {
  for (PagePool& pool : pools_) pool.trim();
  for (PagePool& pool : index_pools_) pool.trim();
  for (PagePool& pool : open_pools_) pool.trim();
  recurrent_->trim();
}

int64_t KvCache::bytes() const {
  int64_t sum = 0;
  for (const PagePool& pool : pools_) sum += pool.bytes();
  for (const PagePool& pool : index_pools_) sum += pool.bytes();
  for (const PagePool& pool : open_pools_) sum += pool.bytes();
  return sum + recurrent_->bytes();
}

}  // namespace skald
