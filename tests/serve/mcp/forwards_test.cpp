// Requests to other servers: how many at once, and their end.
#include "serve/mcp/forwards.h"

#include <gtest/gtest.h>

#include <future>
#include <thread>
#include <vector>

namespace skald::serve {
namespace {

using namespace std::chrono_literals;

TEST(Forwards, OfOneClientLeaveAsManyPlacesForOthers) {
  std::promise<void> go_on;
  const std::shared_future<void> gate = go_on.get_future();
  Forwards forwards(4);
  const auto post = [&](const char* client) { return forwards.post(client, [gate] { gate.wait(); }); };
  EXPECT_TRUE(post("a"));
  EXPECT_TRUE(post("a"));
  EXPECT_FALSE(post("a"));
  EXPECT_TRUE(post("b"));
  EXPECT_FALSE(post("b"));
  EXPECT_TRUE(post("c"));
  EXPECT_FALSE(post("d"));
  go_on.set_value();
  while (!post("a")) std::this_thread::sleep_for(1ms);  // places are free again
}

TEST(Forwards, OfNoPlacesTakeNone) {
  EXPECT_FALSE(Forwards(0).post("a", [] {}));
}

TEST(Forwards, HearOfTheEndAndAreWaitedFor) {
  bool over = false;
  Forwards forwards(1);
  std::promise<void> begun;
  forwards.post("a", [&] {
    begun.set_value();
    while (!forwards.ended()) std::this_thread::sleep_for(1ms);
    over = true;
  });
  begun.get_future().wait();
  forwards.close();
  EXPECT_TRUE(over);
}

}  // namespace
}  // namespace skald::serve
