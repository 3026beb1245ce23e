#include "base/interruption.h"

#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <thread>

#include "base/uninterrupted.h"

namespace skald {
namespace {

struct Counting final : Interruption::Watcher {
  void at_point() override { ++points; }
  void before_memory(int64_t more) override { bytes += more; }
  int points = 0;
  int64_t bytes = 0;
};

constexpr size_t kMuch = size_t{1} << 20;

void work_for(std::chrono::milliseconds time) {
  for (const auto until = std::chrono::steady_clock::now() + time; std::chrono::steady_clock::now() < until;)
    Interruption::point(kMuch);
}

TEST(Interruption, HearsOfPointsNowAndThen) {
  Counting watcher;
  const Interruption watched(watcher);
  work_for(std::chrono::milliseconds(20));
  EXPECT_GE(watcher.points, 2);
  EXPECT_LE(watcher.points, 20);
}

TEST(Interruption, HearsNothingOfOtherThreadsNorAfterItsEnd) {
  Counting watcher;
  {
    const Interruption watched(watcher);
    std::thread([] {
      work_for(std::chrono::milliseconds(5));
      Interruption::memory(5);
    }).join();
  }
  work_for(std::chrono::milliseconds(5));
  Interruption::memory(5);
  EXPECT_EQ(watcher.points, 0);
  EXPECT_EQ(watcher.bytes, 0);
}

TEST(Interruption, TheInnermostOneHears) {
  Counting outer, inner;
  const Interruption of_outer(outer);
  {
    const Interruption of_inner(inner);
    Interruption::memory(3);
  }
  Interruption::memory(4);
  EXPECT_EQ(inner.bytes, 3);
  EXPECT_EQ(outer.bytes, 4);
}

TEST(Interruption, WorkThatHoldsALockHasNoPoints) {
  Counting watcher;
  const Interruption watched(watcher);
  {
    const Uninterrupted others_wait;
    work_for(std::chrono::milliseconds(10));
    Interruption::memory(5);
  }
  EXPECT_EQ(watcher.points, 0);
  EXPECT_EQ(watcher.bytes, 0);
  Interruption::memory(5);
  EXPECT_EQ(watcher.bytes, 5);
}

TEST(Interruption, EndsWorkByWhatItThrows) {
  struct Ending final : Interruption::Watcher {
    void at_point() override { throw std::runtime_error("enough"); }
    void before_memory(int64_t) override {}
  } watcher;
  const Interruption watched(watcher);
  EXPECT_THROW(work_for(std::chrono::seconds(10)), std::runtime_error);
}

}  // namespace
}  // namespace skald
