#include "base/thread_seconds.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace skald {
namespace {

TEST(ThreadSeconds, GoOnWhileTheThreadRunsAndStandStillWhileItSleeps) {
  const double begin = thread_seconds();
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_LT(thread_seconds() - begin, 0.05);
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (thread_seconds() - begin < 0.1 && std::chrono::steady_clock::now() < until) {
  }
  EXPECT_GE(thread_seconds() - begin, 0.1);
}

}  // namespace
}  // namespace skald
