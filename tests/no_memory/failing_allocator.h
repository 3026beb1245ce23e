// Allocations that fail when a test wants it: this program's operator new.
#pragma once

#include <cstdint>
#include <functional>

namespace skald::test {

/// As long as it lives, allocations count on all threads that are not spared: those with the numbers [first, first + count)
/// fail. One at a time. The destructor of nlohmann's JSON does not count: it allocates, and ends the process where it
/// cannot.
class FailingAllocations {
 public:
  FailingAllocations(int64_t first, int64_t count);
  ~FailingAllocations();
  FailingAllocations(const FailingAllocations&) = delete;
  FailingAllocations& operator=(const FailingAllocations&) = delete;

  /// Allocations that counted so far.
  int64_t seen() const;
};

/// The thread's allocations do not count, or (false) count again, for a scope.
class Spared {
 public:
  explicit Spared(bool spared = true);
  ~Spared();
  Spared(const Spared&) = delete;
  Spared& operator=(const Spared&) = delete;

 private:
  bool before_;
};

/// Counts what `work` allocates, and calls it again with failures at `samples` numbers of that range, or as many as the
/// environment variable SKALD_NO_MEMORY says: a number, or "all". Some fail alone, others with many that follow.
void for_failures(int64_t samples, const std::function<void(int64_t first, int64_t count)>& work);

}  // namespace skald::test
