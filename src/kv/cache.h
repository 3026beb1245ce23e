// KvCache: the memory of all sequences of an engine, one pool of pages per group of layers.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "base/memory_lock.h"
#include "kv/page_pool.h"
#include "kv/recurrent_pool.h"
#include "kv/room.h"
#include "kv/spec.h"

namespace skald {

struct KvLimits {
  int64_t max_keys = 0;                         // of one sequence
  int64_t max_rows = 1;                         // appended by one step
  int64_t n_sequences = 1;                      // that can have max_keys at once
  int64_t total_keys = 0;                       // of all sequences together, windows aside; 0: max_keys of each
  int64_t sinks = 0;                            // first keys that layers with a window see too
  int64_t rollback = 0;                         // tokens that a sequence with windows can be truncated by
  int64_t checkpoints = 32;                     // recurrent states beside those of sequences
  int64_t checkpoint_bytes = int64_t{1} << 30;  // no more of them than fit into it
  int64_t copied = 0;                           // most last tokens that copies of a sequence, which measure, compute anew
  bool lock = false;                            // pages in memory
};

/// Of a cache when all pages are there, without the short runs of branches; as good as it gets where that overflows.
int64_t most_bytes(const KvSpec& spec, const KvLimits& limits);

class KvCache {
 public:
  /// In the spec's `memories`, which must outlive the cache.
  KvCache(KvSpec spec, const KvLimits& limits, std::vector<DeviceMemory*> memories = {&host_memory()});

  const KvSpec& spec() const { return spec_; }
  const KvLimits& limits() const { return limits_; }
  DeviceMemory& memory(size_t number) const { return *memories_[number]; }
  DeviceMemory& memory_of_group(size_t group) const { return memory(spec_.groups[group].memory); }
  /// Processes that each have a part of every head's pages (DeviceMemory::shards).
  size_t shards() const { return memories_.front()->shards(); }
  PagePool& pool(size_t group) { return pools_[group]; }
  const PagePool& pool(size_t group) const { return pools_[group]; }
  /// Runs of the key index; of no bytes without one.
  PagePool& index_pool(size_t group, RunLength length = RunLength::kLong) { return index_pools_[at(group, length)]; }
  const PagePool& index_pool(size_t group, RunLength length = RunLength::kLong) const {
    return index_pools_[at(group, length)];
  }
  /// Open pages; of no bytes where full pages hold no codes.
  PagePool& open_pool(size_t group) { return open_pools_[group]; }
  const PagePool& open_pool(size_t group) const { return open_pools_[group]; }
  RecurrentPool& recurrent() { return *recurrent_; }
  const RecurrentPool& recurrent() const { return *recurrent_; }
  /// The group whose pages run out first with long sequences: without a window if there is one, with the most pages. Empty
  /// where there are no groups.
  std::optional<size_t> widest() const;
  /// Gives the memory of all pages back to the system; no sequence may hold any.
  void trim();
  /// Bytes held, in use or not.
  int64_t bytes() const;
  /// What can still be taken.
  KvRoom room() const;
  /// The most that one sequence holds, however long it grows.
  const KvRoom& most_of_one() const { return most_of_one_; }
  /// What the copies of one sequence take, beside the sequences.
  const KvRoom& for_copies() const { return for_copies_; }
  /// What is only kept (KeptPages), recurrent states aside; and whether that is anything.
  KvRoom kept() const;
  bool keeps_any() const;
  /// The most recurrent states beside those of sequences.
  int64_t most_checkpoints() const;

 private:
  MemoryLock* lock_for(size_t memory) const { return memories_[memory]->host_visible() ? lock_.get() : nullptr; }
  KvRoom counts(int64_t (PagePool::*count)() const) const;
  static size_t at(size_t group, RunLength length) { return 2 * group + static_cast<size_t>(length); }

  KvSpec spec_;
  KvLimits limits_;
  KvRoom most_of_one_, for_copies_;
  std::vector<DeviceMemory*> memories_;
  std::unique_ptr<MemoryLock> lock_;  // of all pools in memory that the host sees; null: pages are not locked
  std::deque<PagePool> pools_;        // (groups)
  std::deque<PagePool> index_pools_;  // (groups, RunLength)
  std::deque<PagePool> open_pools_;   // (groups)
  std::unique_ptr<RecurrentPool> recurrent_;
};

}  // namespace skald
