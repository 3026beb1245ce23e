// MemoryLock: keeps memory from being swapped out or dropped, as long as the system agrees.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace skald {

/// For the pieces of one thing. Locked memory stays locked until it is unmapped. The log tells the first refusal, with the
/// limit that would do; from then on lock() does nothing, and the memory is as good as any other.
class MemoryLock {
 public:
  /// `what` is for the log ("the weights"); `bytes`: how much it may come to in all.
  MemoryLock(std::string what, int64_t bytes) : what_(std::move(what)), bytes_(bytes) {}

  /// Reads in the pages that are not in memory yet. Returns whether all of them now stay there.
  bool lock(std::span<const std::byte> memory);

 private:
  std::string what_;
  int64_t bytes_;
  bool refused_ = false;
};

}  // namespace skald
