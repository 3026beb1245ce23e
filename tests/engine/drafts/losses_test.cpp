#include "engine/drafts/losses.h"

#include <gtest/gtest.h>

namespace skald {
namespace {

TEST(Losses, AreTooManyAfterTwoStepsWithoutGuesses) {
  Losses losses;
  losses.add(1.5, 1);
  EXPECT_FALSE(losses.too_many(1));
  losses.add(0.6, 1);
  EXPECT_TRUE(losses.too_many(1));
  losses.forget();
  EXPECT_FALSE(losses.too_many(1));
}

TEST(Losses, CountGainsAsAFewStepsAtMost) {
  Losses losses;
  for (int i = 0; i < 100; ++i) losses.add(-1, 1);
  losses.add(6, 1);
  EXPECT_FALSE(losses.too_many(1));
  losses.add(0.1, 1);
  EXPECT_TRUE(losses.too_many(1));
}

TEST(Pauses, BecomeLongerUpToALimit) {
  Pauses pauses;
  EXPECT_TRUE(pauses.over(0));
  int64_t at = 0;
  for (int64_t length = Pauses::kFirst; length <= Pauses::kLongest; length *= 2) {
    pauses.lost(at);
    EXPECT_FALSE(pauses.over(at + length - 1));
    EXPECT_TRUE(pauses.over(at + length));
    at += length;
  }
  pauses.lost(at);
  EXPECT_TRUE(pauses.over(at + Pauses::kLongest));
}

}  // namespace
}  // namespace skald
