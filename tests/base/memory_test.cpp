// Available memory: more than nothing, and less than a computer can have.
#include "base/memory.h"

#include <gtest/gtest.h>

namespace skald {
namespace {

TEST(AvailableMemory, IsPlausible) {
  EXPECT_GT(available_memory(), int64_t{16} << 20);
  EXPECT_LT(available_memory(), int64_t{1} << 50);
}

}  // namespace
}  // namespace skald
