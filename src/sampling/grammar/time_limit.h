// TimeLimit: how long a grammar may be read and compiled, in time of the thread that does it: others cost it nothing.
#pragma once

#include <ctime>

#include "base/error.h"

namespace skald {

class TimeLimit {
 public:
  TimeLimit() = default;  // none
  explicit TimeLimit(double seconds) : seconds_(seconds), end_(now() + seconds) {}

  /// Cheap: looks at the clock once in many calls. Throws kBadInput when the time is over.
  void check() {
    if (seconds_ <= 0 || ++calls_ % 512 != 0 || now() < end_) return;
    fail(Errc::kBadInput, "the grammar is too large: it takes more than {} s to compile", seconds_);
  }

 private:
  static double now() {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
  }

  double seconds_ = 0, end_ = 0;
  unsigned calls_ = 0;
};

}  // namespace skald
