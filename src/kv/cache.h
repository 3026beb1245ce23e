// KvCache: the memory of all sequences of an engine, one pool of pages per group of layers.
#pragma once

#include <deque>
#include <memory>

#include "base/memory_lock.h"
#include "kv/page_pool.h"
#include "kv/recurrent_pool.h"
#include "kv/spec.h"

namespace skald {

struct KvLimits {
  int64_t max_keys = 0;     // of one sequence
  int64_t max_rows = 1;     // appended by one step
  int64_t n_sequences = 1;  // that can have so many at once
  int64_t sinks = 0;        // first keys that layers with a window see too
  int64_t rollback = 0;     // tokens that a sequence with windows can be truncated by
  bool lock = false;        // pages in memory
};

class KvCache {
 public:
  KvCache(KvSpec spec, const KvLimits& limits);

  const KvSpec& spec() const { return spec_; }
  const KvLimits& limits() const { return limits_; }
  PagePool& pool(size_t group) { return pools_[group]; }
  const PagePool& pool(size_t group) const { return pools_[group]; }
  /// Runs of the key index; of no bytes without one.
  PagePool& index_pool(size_t group) { return index_pools_[group]; }
  const PagePool& index_pool(size_t group) const { return index_pools_[group]; }
  RecurrentPool& recurrent() { return *recurrent_; }
  const RecurrentPool& recurrent() const { return *recurrent_; }
  /// Gives the memory of all pages back to the system; no sequence may hold any.
  void trim();
  /// Bytes held, in use or not.
  int64_t bytes() const;

 private:
  KvSpec spec_;
  KvLimits limits_;
  std::unique_ptr<MemoryLock> lock_;          // of all pools; null: pages are not locked
  std::deque<PagePool> pools_, index_pools_;  // (groups)
  std::unique_ptr<RecurrentPool> recurrent_;
};

}  // namespace skald
