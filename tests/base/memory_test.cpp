// Memory that there is, and that this process takes: plausible, and following what is touched.
#include "base/memory.h"

#include <gtest/gtest.h>

#include <vector>

namespace skald {
namespace {

TEST(AvailableMemory, IsPlausible) {
  EXPECT_GT(available_memory(), int64_t{16} << 20);
  EXPECT_LT(available_memory(), int64_t{1} << 50);
}

TEST(PeakMemory, GrowsWithWhatIsTouchedAndNeverShrinks) {
  const int64_t before = peak_memory();
  EXPECT_GT(before, int64_t{1} << 20);
  {
    const std::vector<char> touched(static_cast<size_t>(before) + (32 << 20), 1);
    EXPECT_GE(peak_memory(), before + (16 << 20));
    EXPECT_TRUE(anonymous_memory() >= before || anonymous_memory() == 0);
  }
  EXPECT_GE(peak_memory(), before + (16 << 20));
}

}  // namespace
}  // namespace skald
