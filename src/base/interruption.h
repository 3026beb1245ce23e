// Interruption: points within long work at which its giver may let other work go first, or end it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace skald {

class Interruption {
 public:
  /// The giver of the work: it may let the thread wait, and its exceptions end the work.
  class Watcher {
   public:
    virtual ~Watcher() = default;
    virtual void at_point() = 0;
    virtual void before_memory(int64_t bytes) = 0;
  };

  /// As long as it lives, calls `watcher` at points of this thread, once in 2 ms at most.
  explicit Interruption(Watcher& watcher);
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  // Both have no effect on threads without an Interruption. The caller holds no lock that others want, and may be left by an
  // exception.

  /// A point: cheap. `work`: about how many bytes were handled, or steps done, since the last one.
  static void point(size_t work = 1);
  /// Announces that the work may need this much memory from now on, up to its end.
  static void memory(int64_t bytes);

 private:
  Watcher& watcher_;
  size_t work_ = 0;  // since the clock was read
  std::chrono::steady_clock::time_point next_;
  Interruption* outer_;
};

}  // namespace skald
