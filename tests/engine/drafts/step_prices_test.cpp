// How long steps take by their rows.
#include "engine/drafts/step_prices.h"

#include <gtest/gtest.h>

namespace skald::step_prices_test {
namespace {

TEST(StepPrices, AreUnknownAtFirst) {
  EXPECT_EQ(StepPrices().of(1), 0);
  EXPECT_EQ(StepPrices().of(5), 0);
}

TEST(StepPrices, RowsThatWereNotSeenAreOnTheLinesBetweenOthers) {
  StepPrices prices;
  prices.note(1, 1.0);
  EXPECT_DOUBLE_EQ(prices.of(5), 2.0) << "a quarter each where nothing is known";
  prices.note(5, 1.4);
  EXPECT_DOUBLE_EQ(prices.of(1), 1.0);
  EXPECT_DOUBLE_EQ(prices.of(5), 1.4);
  EXPECT_DOUBLE_EQ(prices.of(3), 1.2);
  EXPECT_DOUBLE_EQ(prices.of(9), 1.8);
  prices.note(9, 3.0);
  EXPECT_DOUBLE_EQ(prices.of(7), 2.2);
  EXPECT_DOUBLE_EQ(prices.of(1000), 3.0 + 991 * 0.25);
}

TEST(StepPrices, FollowTheStepsAndForgiveDelays) {
  StepPrices prices;
  prices.note(1, 1.0);
  prices.note(1, 100.0);
  EXPECT_DOUBLE_EQ(prices.of(1), 1.2);
  for (int i = 0; i < 200; ++i) prices.note(1, 3.0);
  EXPECT_NEAR(prices.of(1), 3.0, 1e-9);
}

TEST(StepPrices, ALongerContextMakesAllStepsLonger) {
  StepPrices prices;
  prices.note(1, 1.0);
  prices.note(4, 2.0);
  for (int i = 0; i < 200; ++i) prices.note(1, 10.0);
  EXPECT_NEAR(prices.of(4), 20.0, 1e-6);
}

// Several texts at the same time never have a step of one row.
TEST(StepPrices, BeginWithAnySteps) {
  StepPrices prices;
  prices.note(8, 1.0);
  EXPECT_NEAR(prices.of(8), 1.0, 1e-12);
  prices.note(12, 1.5);
  EXPECT_NEAR(prices.of(12) / prices.of(8), 1.5, 1e-9);
  EXPECT_LT(prices.of(1), 1.0);
}

TEST(StepPrices, MoreRowsCostNoLess) {
  StepPrices prices;
  prices.note(1, 1.0);
  prices.note(4, 1.5);
  prices.note(8, 1.2);
  EXPECT_GE(prices.of(64), prices.of(8));
}

}  // namespace
}  // namespace skald::step_prices_test
