#include "serve/stop_signals.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <semaphore>
#include <thread>

namespace skald::serve {
namespace {

TEST(StopSignals, ReachTheFunctionPastThreadsThatWereThereBefore) {
  std::binary_semaphore leave(0);
  std::thread before([&] { leave.acquire(); });
  {
    std::counting_semaphore<2> told(0);
    StopSignals signals;
    signals.begin([&] { told.release(); });
    for (const int number : {SIGTERM, SIGINT}) {
      kill(getpid(), number);
      told.acquire();
    }
    signals.end();
  }
  leave.release();
  before.join();
}

TEST(StopSignals, CountThatCameBeforeTheFunction) {
  std::counting_semaphore<2> told(0);
  StopSignals signals;
  kill(getpid(), SIGTERM);
  signals.begin([&] { told.release(); });
  told.acquire();
}

}  // namespace
}  // namespace skald::serve
