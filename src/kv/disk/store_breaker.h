// StoreBreaker: whether a store is asked at all: not for a while after it has failed.
#pragma once

#include <algorithm>
#include <chrono>

namespace skald {

class StoreBreaker {
 public:
  using Clock = std::chrono::steady_clock;

  /// `first`: the pause after a failure. Each further one doubles it, up to `longest`.
  explicit StoreBreaker(std::chrono::nanoseconds first, std::chrono::nanoseconds longest = std::chrono::minutes(1))
      : first_(first), longest_(std::max(first, longest)), pause_(first) {}

  bool is_open() const { return open_; }
  /// Of an open one: when to try again.
  Clock::time_point retry_at() const { return retry_at_; }
  /// Opens it, to be tried at once: for a store that was not asked yet.
  void open_at_once(Clock::time_point now) {
    open_ = true;
    retry_at_ = now;
  }
  /// Opens it.
  void fail(Clock::time_point now) {
    open_ = true;
    retry_at_ = now + pause_;
    pause_ = std::min(2 * pause_, longest_);
  }
  void succeed() {
    open_ = false;
    pause_ = first_;
  }

 private:
  std::chrono::nanoseconds first_, longest_, pause_;
  Clock::time_point retry_at_ = {};
  bool open_ = false;
};

}  // namespace skald
