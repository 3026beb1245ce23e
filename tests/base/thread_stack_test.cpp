// The stack of a thread, as far as the system tells it.
#include "base/thread_stack.h"

#include <gtest/gtest.h>

#include <thread>

namespace skald {
namespace {

void expect_own_stack() {
  const char here = 0;
  const auto stack = thread_stack();
  if (stack.empty()) GTEST_SKIP() << "the system does not say";
  const auto* const at = reinterpret_cast<const std::byte*>(&here);
  EXPECT_GE(at, stack.data());
  EXPECT_LT(at, stack.data() + stack.size());
}

TEST(ThreadStack, HoldsTheVariablesOfTheThread) {
  expect_own_stack();
  std::thread(expect_own_stack).join();
}

}  // namespace
}  // namespace skald
