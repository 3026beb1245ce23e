// TimeLimit: how long a grammar may be read and compiled, in time of the thread that does it: others cost it nothing.
#pragma once

#include <functional>
#include <utility>

#include "base/error.h"
#include "base/interruption.h"
#include "base/thread_seconds.h"

namespace skald {

class TimeLimit {
 public:
  TimeLimit() = default;  // none
  /// `when_long`, if not empty, is called once the work has taken longer than `moment` seconds. It may wait, and what it
  /// throws ends the work.
  explicit TimeLimit(double seconds, double moment = 0, std::function<void()> when_long = {})
      : seconds_(seconds), begin_(thread_seconds()), moment_(moment), when_long_(std::move(when_long)) {}

  /// Cheap: looks at the clock once in many calls. Throws kBadInput when the time is over.
  void check() {
    if (seconds_ > 0 && ++calls_ % kCalls == 0) look();
  }

 private:
  static constexpr unsigned kCalls = 512;

  void look() {
    Interruption::point(kCalls * 16);
    const double taken = thread_seconds() - begin_;
    if (taken >= seconds_) fail(Errc::kBadInput, "the grammar is too large: it takes more than {} s to compile", seconds_);
    if (when_long_ && taken >= moment_) std::exchange(when_long_, {})();
  }

  double seconds_ = 0, begin_ = 0, moment_ = 0;
  std::function<void()> when_long_ = {};
  unsigned calls_ = 0;
};

}  // namespace skald
