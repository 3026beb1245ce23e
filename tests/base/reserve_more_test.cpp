#include "base/reserve_more.h"

#include <gtest/gtest.h>

namespace skald {
namespace {

TEST(ReserveMore, MakesRoomAndGrowsByFactors) {
  std::vector<int> v;
  int moves = 0;
  for (int i = 0; i < 1000; ++i) {
    const size_t before = v.capacity();
    reserve_more(v, 1);
    moves += v.capacity() != before;
    const int* const there = v.data();
    v.push_back(i);
    ASSERT_EQ(v.data(), there) << i;
  }
  EXPECT_LE(moves, 11);
}

}  // namespace
}  // namespace skald
