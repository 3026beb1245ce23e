#include "serve/workers/workers.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace skald::serve {
namespace {

TEST(Workers, DoWhatIsPostedInOrderBeforeTheyClose) {
  std::vector<int> done;
  Workers workers(1);
  for (int i = 0; i < 100; ++i) workers.post([&done, i] { done.push_back(i); });
  workers.close();
  ASSERT_EQ(done.size(), 100u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(done[static_cast<size_t>(i)], i);
}

TEST(Workers, GoOnAfterATaskThatThrows) {
  std::atomic<int> done = 0;
  Workers workers(2);
  for (int i = 0; i < 10; ++i) {
    workers.post([] { throw std::runtime_error("no"); });
    workers.post([] { throw 42; });
    workers.post([&] { ++done; });
  }
  workers.close();
  EXPECT_EQ(done, 10);
}

TEST(Errands, AreMadeBeforehandAndKeepTheirOrder) {
  std::vector<int> done;
  Errand second = [&] { done.push_back(2); };
  Errand first = [&] { done.push_back(1); };
  Errands errands;
  errands.add(std::move(first));
  errands.add(std::move(second));
  EXPECT_EQ(errands.size(), 2u);
  while (!errands.empty()) errands.take()();
  EXPECT_EQ(done, (std::vector<int>{1, 2}));
}

}  // namespace
}  // namespace skald::serve
