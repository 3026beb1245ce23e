// The inbox: order, waiting and closing, from several threads.
#include "engine/inbox.h"
#include "tests/support/joining_thread.h"

#include <gtest/gtest.h>

#include <list>
#include <memory>
#include <numeric>
#include <thread>
#include <vector>

namespace skald {
namespace {

using Ints = std::list<int>;

TEST(Inbox, GivesWhatWasPostedInOrderAndOnlyOnce) {
  Inbox<int> inbox;
  inbox.post(1);
  inbox.post(2);
  EXPECT_EQ(inbox.take(false), std::pair(Ints{1, 2}, false));
  EXPECT_EQ(inbox.take(false), std::pair(Ints{}, false));
}

TEST(Inbox, DoesNotWaitUnlessAsked) {
  Inbox<int> inbox;
  EXPECT_TRUE(inbox.take(false).first.empty());
}

TEST(Inbox, WaitsForTheFirstItem) {
  Inbox<int> inbox;
  test::JoiningThread poster([&] { inbox.post(7); });
  EXPECT_EQ(inbox.take(true).first, Ints{7});
}

TEST(Inbox, WakesOnClosingAndSaysSo) {
  Inbox<int> inbox;
  test::JoiningThread closer([&] { inbox.close(); });
  EXPECT_EQ(inbox.take(true), std::pair(Ints{}, true));
}

TEST(Inbox, WakesWithNothingWhenItIsTold) {
  Inbox<int> inbox;
  inbox.wake();
  EXPECT_EQ(inbox.take(true), std::pair(Ints{}, false));
  test::JoiningThread poster([&] { inbox.post(7); });
  EXPECT_EQ(inbox.take(true).first, Ints{7}) << "once";
}

TEST(Inbox, StillGivesWhatWasPostedBeforeItWasClosed) {
  Inbox<int> inbox;
  inbox.post(1);
  inbox.close();
  EXPECT_EQ(inbox.take(true), std::pair(Ints{1}, true));
}

TEST(Inbox, RefusesItemsOnceClosed) {
  Inbox<int> inbox;
  EXPECT_TRUE(inbox.post(1));
  inbox.close();
  EXPECT_FALSE(inbox.post(2));
  EXPECT_EQ(inbox.take(false).first, Ints{1});
}

TEST(Inbox, MovesItems) {
  Inbox<std::unique_ptr<int>> inbox;
  inbox.post(std::make_unique<int>(5));
  EXPECT_EQ(*inbox.take(false).first.front(), 5);
}

TEST(Inbox, LosesNothingBetweenThreads) {
  constexpr int kThreads = 4, kEach = 2000;
  Inbox<int> inbox;
  std::vector<test::JoiningThread> posters;
  for (int t = 0; t < kThreads; ++t)
    posters.emplace_back([&, t] {
      for (int i = 0; i < kEach; ++i) inbox.post(t * kEach + i);
    });
  std::vector<int> got;
  std::vector<int> next(kThreads);
  while (got.size() < size_t{kThreads} * kEach) {
    for (const int item : inbox.take(true).first) {
      EXPECT_EQ(item % kEach, next[static_cast<size_t>(item / kEach)]++) << "out of order";
      got.push_back(item);
    }
  }
  EXPECT_EQ(next, std::vector(kThreads, kEach));
}

}  // namespace
}  // namespace skald
