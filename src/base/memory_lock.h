// MemoryLock: keeps memory from being swapped out or dropped, as long as the system agrees.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace skald {

/// For the pieces of one thing. What is locked stays so until it is unmapped. The first refusal is told in the log, with
/// what it would take; from then on lock() does nothing, and the memory is as good as any other.
class MemoryLock {
 public:
  /// `what` is for the log ("the weights"); `bytes`: how much it may come to in all.
  MemoryLock(std::string what, int64_t bytes) : what_(std::move(what)), bytes_(bytes) {}

  /// Reads in what is not in memory yet; whether all of it now stays there.
  bool lock(std::span<const std::byte> memory);

 private:
  std::string what_;
  int64_t bytes_;
  bool refused_ = false;
};

}  // namespace skald
