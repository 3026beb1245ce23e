// RecurrentPool: the recurrent states of sequences, a block of floats for all slots of one. Shared by count, as pages are.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/memory_lock.h"
#include "tensor/device_memory.h"

namespace skald {

class RecurrentPool {
 public:
  /// One owner of a block, or none.
  using Block = std::shared_ptr<float>;

  /// At most `max_blocks` of `floats` > 0. The pool must outlive its blocks. `lock`, `memory`: as PagePool's.
  RecurrentPool(int64_t floats, int64_t max_blocks, MemoryLock* lock = nullptr, DeviceMemory& memory = host_memory())
      : floats_(floats), max_blocks_(max_blocks), lock_(lock), memory_(memory) {}
  RecurrentPool(const RecurrentPool&) = delete;
  RecurrentPool& operator=(const RecurrentPool&) = delete;

  /// Zeros, or what `from` holds; none when all blocks are taken. Throws kNoMemory when the system has none left.
  Block take(const Block& from = nullptr);

  /// Gives the memory back to the system; no block may be taken.
  void trim();

  /// Blocks that can still be taken.
  int64_t available() const { return max_blocks_ - taken(); }
  int64_t taken() const { return static_cast<int64_t>(blocks_.size() - free_.size()); }
  int64_t bytes() const { return static_cast<int64_t>(blocks_.size()) * block_bytes(); }

 private:
  int64_t block_bytes() const { return floats_ * static_cast<int64_t>(sizeof(float)); }

  int64_t floats_, max_blocks_;
  MemoryLock* lock_;
  DeviceMemory& memory_;
  std::vector<std::unique_ptr<DeviceBuffer>> blocks_;
  std::vector<float*> free_;
};

}  // namespace skald
