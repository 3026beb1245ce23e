// RecurrentPool: the recurrent states of sequences, a block of floats for all slots of one. Shared by count, as pages are.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tensor/buffer.h"

namespace skald {

class RecurrentPool {
 public:
  /// One owner of a block, or none.
  using Block = std::shared_ptr<float>;

  /// Blocks of `floats` > 0. The pool must outlive its blocks.
  explicit RecurrentPool(int64_t floats) : floats_(floats) {}
  RecurrentPool(const RecurrentPool&) = delete;
  RecurrentPool& operator=(const RecurrentPool&) = delete;

  /// Zeros, or what `from` holds. Throws kNoMemory.
  Block take(const Block& from = nullptr);

  /// Gives the memory back to the system; no block may be taken.
  void trim();

  int64_t taken() const { return static_cast<int64_t>(blocks_.size() - free_.size()); }
  int64_t bytes() const { return static_cast<int64_t>(blocks_.size()) * floats_ * static_cast<int64_t>(sizeof(float)); }

 private:
  int64_t floats_;
  std::vector<Buffer> blocks_;
  std::vector<float*> free_;
};

}  // namespace skald
