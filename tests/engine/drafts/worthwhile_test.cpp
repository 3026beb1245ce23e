// How many guesses a step is worth.
#include "engine/drafts/worthwhile.h"

#include <gtest/gtest.h>

namespace skald::worthwhile_test {
namespace {

StepPrices prices_with(double seconds_of_five) {
  StepPrices prices;
  prices.note(1, 1.0);
  prices.note(5, seconds_of_five);
  return prices;
}

TEST(Worthwhile, ManyGuessesWhereRowsCostNothing) {
  const Worth worth = worthwhile(prices_with(1.0), {.likely = 0.9, .most = 16});
  EXPECT_EQ(worth.guesses, 16);
  EXPECT_NEAR(worth.gain, 8.33, 0.01) << "the sum of 0.9^i to i = 16";
}

// A step of n guesses takes 1 + n / 2 steps and gives 1 + p + ... + p^n tokens.
TEST(Worthwhile, TheBestNumberWhereRowsCost) {
  const Worth worth = worthwhile(prices_with(3.0), {.likely = 0.8, .most = 16});
  EXPECT_EQ(worth.guesses, 2);
  EXPECT_NEAR(worth.gain, 2.44 / 2, 1e-9);
  EXPECT_EQ(worthwhile(prices_with(3.0), {.likely = 1, .most = 16}).guesses, 16);
  EXPECT_EQ(worthwhile(prices_with(3.0), {.likely = 1, .most = 3}).guesses, 3);
}

TEST(Worthwhile, NoneWhereNoneGains) {
  EXPECT_EQ(worthwhile(prices_with(3.0), {.likely = 0.5, .most = 16}).guesses, 0);
  EXPECT_EQ(worthwhile(prices_with(3.0), {.likely = 0, .most = 16}).guesses, 0);
  EXPECT_EQ(worthwhile(prices_with(1.0), {.likely = 0.02, .most = 16}).guesses, 0) << "less than a measurement's error";
  EXPECT_EQ(worthwhile(StepPrices(), {.likely = 1, .most = 16}).guesses, 0) << "nothing is known";
}

TEST(Worthwhile, GuessesThatCostTimeAreFewer) {
  const Bet free{.likely = 0.9, .most = 16};
  Bet costly = free;
  costly.guess_seconds = 0.3;
  EXPECT_LT(worthwhile(prices_with(1.2), costly).guesses, worthwhile(prices_with(1.2), free).guesses);
  costly.guess_seconds = 2;
  EXPECT_EQ(worthwhile(prices_with(1.2), costly).guesses, 0);
}

TEST(Worthwhile, TextsAtTheSameTimeShareAStep) {
  StepPrices prices;
  for (int64_t rows = 1; rows <= 64; ++rows) prices.note(rows, rows <= 8 ? 1.0 : static_cast<double>(rows) / 8);
  EXPECT_EQ(worthwhile(prices, {.likely = 0.9, .most = 16}).guesses, 7);
  EXPECT_EQ(worthwhile(prices, {.likely = 0.9, .most = 16, .texts = 4}).guesses, 1);
  EXPECT_EQ(worthwhile(prices, {.likely = 0.9, .most = 16, .texts = 8}).guesses, 0);
}

TEST(Worthwhile, StatesThatGoBackMakeWrongGuessesCost) {
  const Bet sure{.likely = 1, .most = 4, .replays = true}, unsure{.likely = 0.4, .most = 4, .replays = true};
  EXPECT_EQ(worthwhile(prices_with(2.0), sure).guesses, 4);
  EXPECT_EQ(worthwhile(prices_with(2.0), unsure).guesses, 0);
  EXPECT_GT(worthwhile(prices_with(2.0), {.likely = 0.4, .most = 4}).guesses, 0);
}

}  // namespace
}  // namespace skald::worthwhile_test
