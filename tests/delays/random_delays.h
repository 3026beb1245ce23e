// Threads that meet in rare orders: each hand-over between threads (a lock that is taken or left, a condition that is
// signalled) may sleep for a random time.
#pragma once

#include <cstdint>

namespace skald::test {

/// Sleeps at hand-overs of all threads while it lives. There is one at a time.
class RandomDelays {
 public:
  explicit RandomDelays(uint64_t seed);
  ~RandomDelays();
  RandomDelays(const RandomDelays&) = delete;
  RandomDelays& operator=(const RandomDelays&) = delete;

  /// The sleeps until now.
  static int64_t count();
};

/// Takes the calling thread out while it lives: the threads of clients.
class Punctual {
 public:
  Punctual();
  ~Punctual();
};

}  // namespace skald::test
