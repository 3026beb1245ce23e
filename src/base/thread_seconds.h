// The processor time of a thread: unlike time on the wall, it does not depend on the machine's other work.
#pragma once

#include <ctime>

namespace skald {

/// Gives the seconds for which the calling thread has run.
inline double thread_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

}  // namespace skald
