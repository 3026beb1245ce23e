// Work of several clients goes on in turn.
#include "serve/workers/slices.h"

#include <gmock/gmock.h>

#include <atomic>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tests/serve/parked.h"

namespace skald::serve_test {
namespace {

using namespace std::chrono_literals;
using serve::Slices;

TEST(Slices, ShortWorkDoesNotWaitForTheEndOfLongWork) {
  std::atomic<bool> stop = false;
  Signal done;
  Slices slices(100);
  for (int i = 0; i < 5; ++i)
    slices.post("many", [&] {
      std::this_thread::sleep_for(1ms);
      return !stop;
    });
  for (const char* client : {"many", "one"})
    slices.post(client, [&] {
      done.set();
      return false;
    });
  done.wait(2);
  stop = true;
}

TEST(Slices, WorkThatThrowsEndsAndOthersGoOn) {
  Signal done;
  Slices slices(3);
  std::atomic<int> thrown = 0;
  for (int i = 0; i < 2; ++i)
    slices.post("one", [&]() -> bool {
      ++thrown;
      throw std::runtime_error("no");
    });
  int left = 3;
  slices.post("other", [&] {
    if (--left == 0) done.set();
    return left > 0;
  });
  done.wait();
  while (thrown < 2) std::this_thread::sleep_for(1ms);
  EXPECT_EQ(thrown, 2);
}

TEST(Slices, AllWorkGoesOn) {
  std::array<std::atomic<int>, 3> slices_of = {};
  std::atomic<bool> stop = false;
  Signal short_ones;
  Slices slices(100);
  for (auto& count : slices_of)
    slices.post("client", [&] {
      ++count;
      return !stop;
    });
  std::function<bool()> again = [&] {  // one short work after the other
    short_ones.set();
    if (!stop) slices.post("other", again);
    return false;
  };
  slices.post("other", again);
  for (auto& count : slices_of)
    while (count < 10) std::this_thread::sleep_for(1ms);
  stop = true;
}

TEST(Slices, OneClientLeavesPlacesToOthers) {
  std::atomic<bool> stop = false;
  Slices slices(8);
  const auto work = [&] {
    std::this_thread::sleep_for(1ms);
    return !stop;
  };
  int taken = 0;
  for (int i = 0; i < 20; ++i) taken += slices.post("many", work);
  EXPECT_EQ(taken, 4);
  EXPECT_TRUE(slices.post("one", work));
  stop = true;
}

TEST(Slices, WhatIsNotOverIsDropped) {
  const auto held = std::make_shared<int>();
  {
    Slices slices(8);
    for (int i = 0; i < 3; ++i) slices.post("", [held] { return true; });
  }
  EXPECT_EQ(held.use_count(), 1);
}

}  // namespace
}  // namespace skald::serve_test
