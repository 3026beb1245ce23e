// SparqReads: how much sparse attention read of what dense attention would have read, as the paper counts it: numbers of
// keys and values (arXiv 2312.04985).
#pragma once

#include <atomic>
#include <cstdint>

namespace skald {

/// Summed over KV heads of generated rows that see more keys than they keep.
struct SparqReads {
  std::atomic<int64_t> read = 0, dense = 0;

  void add(int64_t numbers, int64_t all) {
    read.fetch_add(numbers, std::memory_order_relaxed);
    dense.fetch_add(all, std::memory_order_relaxed);
  }
};

}  // namespace skald
