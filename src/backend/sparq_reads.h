// SparqReads: how much sparse attention read of what dense attention would have read: bytes of keys, of their copy by
// dimensions, and of values.
#pragma once

#include <atomic>
#include <cstdint>

namespace skald {

/// Summed over KV heads of generated rows that see more keys than they keep.
struct SparqReads {
  std::atomic<int64_t> read = 0, dense = 0;

  void add(int64_t bytes, int64_t all) {
    read.fetch_add(bytes, std::memory_order_relaxed);
    dense.fetch_add(all, std::memory_order_relaxed);
  }
};

}  // namespace skald
