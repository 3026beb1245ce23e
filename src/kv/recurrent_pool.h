// RecurrentPool: the recurrent states of sequences, a block of floats for all slots of one. Shared by count, as pages are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/memory_lock.h"
#include "tensor/device_memory.h"

namespace skald {

/// The states of one sequence, a piece in each memory of its cache.
class RecurrentBlock {
 public:
  /// The floats that lie in this memory; null where there are none.
  float* in(size_t memory) const { return pieces_[memory] ? reinterpret_cast<float*>(pieces_[memory]->data()) : nullptr; }

 private:
  friend class RecurrentPool;
  std::vector<std::unique_ptr<DeviceBuffer>> pieces_;  // (memories)
};

class RecurrentPool {
 public:
  /// One owner of a block, or none.
  using Block = std::shared_ptr<const RecurrentBlock>;

  /// A block's floats in one memory. `lock`, `memory`: as PagePool's.
  struct Piece {
    int64_t floats = 0;
    MemoryLock* lock = nullptr;
    DeviceMemory* memory = &host_memory();

    int64_t bytes() const { return floats * static_cast<int64_t>(sizeof(float)); }
  };

  /// At most `max_blocks` of `pieces`, one for each memory. The pool must outlive its blocks.
  RecurrentPool(std::vector<Piece> pieces, int64_t max_blocks) : pieces_(std::move(pieces)), max_blocks_(max_blocks) {}
  RecurrentPool(const RecurrentPool&) = delete;
  RecurrentPool& operator=(const RecurrentPool&) = delete;

  /// Zeros, or what `from` holds; none when all blocks are taken. Throws kNoMemory when the system has none left.
  Block take(const Block& from = nullptr);

  /// A block's bytes, memory by memory, of one shard (DeviceMemory::shard): (block_bytes()).
  void read(const RecurrentBlock& block, std::span<std::byte> bytes, size_t shard = 0) const;
  void write(const RecurrentBlock& block, std::span<const std::byte> bytes, size_t shard = 0) const;

  /// Gives the memory back to the system; no block may be taken.
  void trim();

  /// Blocks that can still be taken.
  int64_t available() const { return max_blocks_ - taken(); }
  int64_t taken() const { return static_cast<int64_t>(blocks_.size() - free_.size()); }
  int64_t block_bytes() const;
  int64_t bytes() const { return static_cast<int64_t>(blocks_.size()) * block_bytes(); }

 private:
  void add_block();
  void fill(const RecurrentBlock& block, const RecurrentBlock* from) const;

  std::vector<Piece> pieces_;
  int64_t max_blocks_;
  std::vector<std::unique_ptr<RecurrentBlock>> blocks_;
  std::vector<const RecurrentBlock*> free_;
};

}  // namespace skald
