// Sums on a thread of their own: in order, and what fails is told to who waits.
#include "backend/cpu/sum_thread.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>
#include <vector>

namespace skald {
namespace {

TEST(SumThread, CallsSumsInOrderOnOneOtherThread) {
  SumThread sums;
  std::vector<int> order;
  std::thread::id where;
  for (int i = 0; i < 100; ++i)
    sums.post([&, i](ThreadPool& pool, std::byte*) {
      EXPECT_EQ(pool.size(), 1);
      where = std::this_thread::get_id();
      order.push_back(i);
    });
  sums.wait();
  ASSERT_EQ(order.size(), 100);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(order[static_cast<size_t>(i)], i);
  EXPECT_NE(where, std::this_thread::get_id());
}

TEST(SumThread, GivesScratchThatGrows) {
  SumThread sums;
  sums.grow(100);
  sums.grow(1 << 20);
  sums.grow(10);
  sums.post([](ThreadPool&, std::byte* scratch) { scratch[(1 << 20) - 1] = std::byte{1}; });
  sums.wait();
}

TEST(SumThread, TellsOfTheFirstFailureOnceAndGoesOn) {
  SumThread sums;
  int called = 0;
  sums.post([](ThreadPool&, std::byte*) { throw std::runtime_error("a rank is gone"); });
  EXPECT_THROW(sums.wait(), std::runtime_error);
  sums.post([&](ThreadPool&, std::byte*) { ++called; });
  sums.wait();
  EXPECT_EQ(called, 1);
}

TEST(SumThread, ForgetsAFailureWhereItIsDrained) {
  SumThread sums;
  sums.post([](ThreadPool&, std::byte*) { throw std::runtime_error("a rank is gone"); });
  sums.drain();
  sums.wait();
}

}  // namespace
}  // namespace skald
