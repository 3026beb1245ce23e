// Sizes of caches, as far as the system tells them.
#include "base/cpu_topology.h"

#include <gtest/gtest.h>

namespace skald {
namespace {

TEST(LastLevelCache, IsOfASizeThatCachesHave) {
  const int64_t bytes = last_level_cache_bytes();
  EXPECT_LE(second_level_cache_bytes(), bytes);
  if (bytes == 0) GTEST_SKIP() << "the system does not say";
  EXPECT_GE(bytes, 64 << 10);
  EXPECT_LT(bytes, int64_t{64} << 30);
}

}  // namespace
}  // namespace skald
