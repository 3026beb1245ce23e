// Overflow-aware arithmetic at its limits.
#include "base/checked.h"

#include <gtest/gtest.h>

namespace skald {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

TEST(Checked, MultipliesWhatFits) {
  EXPECT_EQ(checked_mul(0, kMax), 0);
  EXPECT_EQ(checked_mul(3037000499, 3037000499), 9223372030926249001);
  EXPECT_EQ(checked_mul(kMax, 1), kMax);
}

TEST(Checked, RefusesProductsThatOverflowAndNegativeFactors) {
  EXPECT_EQ(checked_mul(3037000500, 3037000500), std::nullopt);
  EXPECT_EQ(checked_mul(kMax, 2), std::nullopt);
  EXPECT_EQ(checked_mul(-1, 1), std::nullopt);
  EXPECT_EQ(checked_mul(1, -1), std::nullopt);
}

TEST(Checked, AddsWhatFits) { EXPECT_EQ(checked_add(kMax - 1, 1), kMax); }

TEST(Checked, RefusesSumsThatOverflowAndNegativeTerms) {
  EXPECT_EQ(checked_add(kMax, 1), std::nullopt);
  EXPECT_EQ(checked_add(-1, 2), std::nullopt);
  EXPECT_EQ(checked_add(2, -1), std::nullopt);
}

TEST(Checked, RoundsUpToMultiples) {
  EXPECT_EQ(round_up(0, 32), 0);
  EXPECT_EQ(round_up(1, 32), 32);
  EXPECT_EQ(round_up(32, 32), 32);
  EXPECT_EQ(round_up(33, 3), 33);
}

TEST(Checked, DividesRoundingUp) {
  EXPECT_EQ(ceil_div(0, 4), 0);
  EXPECT_EQ(ceil_div(4, 4), 1);
  EXPECT_EQ(ceil_div(5, 4), 2);
}

}  // namespace
}  // namespace skald
