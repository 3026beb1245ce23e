// Tries again after failures that may pass.
#pragma once

#include <functional>
#include <string>

#include "hub/http.h"

namespace skald {

struct Retries {
  int tries = 5;
  double first_wait = 1;                                  // seconds; each wait is twice the one before
  double longest_wait = 300;                              // a server that asks for more is given up on
  std::function<void(double seconds)> wait;               // must not be empty
  std::function<void(const std::string& line)> say = {};  // the failure, and the seconds of the wait
};

/// Waits by the clock, calling `check` several times a second, which may throw.
std::function<void(double)> wait_with(std::function<void()> check);

/// Counts tries of one thing.
class Tries {
 public:
  explicit Tries(const Retries& retries) : retries_(retries) {}

  /// Waits before the next try, no shorter than the server asks; throws Error (kDevice) with the failure's message when
  /// there is none left.
  void failed(const HttpFailure& failure);
  /// Gives all tries again, where the failed work has got on since.
  void start_anew() { made_ = 0; }

 private:
  const Retries& retries_;
  int made_ = 0;
};

/// Returns the result of `f`; tries again for each HttpFailure.
template <class F>
auto with_retries(const Retries& retries, F&& f) {
  for (Tries tries(retries);;) {
    try {
      return f();
    } catch (const HttpFailure& failure) {
      tries.failed(failure);
    }
  }
}

}  // namespace skald
