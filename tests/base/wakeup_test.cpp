#include "base/wakeup.h"

#include <gtest/gtest.h>
#include <poll.h>

namespace skald {
namespace {

bool can_be_read(const Wakeup& wakeup) {
  pollfd one{.fd = wakeup.descriptor(), .events = POLLIN, .revents = 0};
  return poll(&one, 1, 0) == 1;
}

TEST(Wakeup, CanBeReadWhileItIsSet) {
  Wakeup wakeup;
  EXPECT_FALSE(can_be_read(wakeup));
  wakeup.set();
  EXPECT_TRUE(can_be_read(wakeup));
  EXPECT_TRUE(can_be_read(wakeup));
  wakeup.clear();
  EXPECT_FALSE(can_be_read(wakeup));
}

TEST(Wakeup, MayBeSetAnyNumberOfTimes) {
  Wakeup wakeup;
  for (int i = 0; i < 200000; ++i) wakeup.set();  // more than a pipe holds
  EXPECT_TRUE(can_be_read(wakeup));
  wakeup.clear();
  EXPECT_FALSE(can_be_read(wakeup));
}

}  // namespace
}  // namespace skald
