// SplitMix64 against its published values: seeds must mean the same on every machine and in every release.
#include "base/rng.h"

#include <gtest/gtest.h>

#include <array>

namespace skald {
namespace {

TEST(Rng, GivesThePublishedValuesForSeedZero) {
  Rng rng(0);
  for (const uint64_t want : {0xe220a8397b1dcdafu, 0x6e789e6aa1b965f4u, 0x06c45d188009454fu}) EXPECT_EQ(rng.next(), want);
}

TEST(Rng, GivesThePublishedValuesForSeed1234567) {
  Rng rng(1234567);
  for (const uint64_t want :
       {6457827717110365317u, 3203168211198807973u, 9817491932198370423u, 4593380528125082431u, 16408922859458223821u})
    EXPECT_EQ(rng.next(), want);
}

TEST(Rng, UniformIsTheTop53BitsAsAFraction) {
  Rng rng(0);
  EXPECT_EQ(rng.uniform(), static_cast<double>(0xe220a8397b1dcdafu >> 11) / 9007199254740992.0);
}

TEST(Rng, UniformStaysBelowOneAndFillsTheInterval) {
  Rng rng(42);
  std::array<int, 10> tenths{};
  for (int i = 0; i < 10000; ++i) {
    const double x = rng.uniform();
    ASSERT_GE(x, 0.0);
    ASSERT_LT(x, 1.0);
    ++tenths[static_cast<size_t>(x * 10)];
  }
  for (const int n : tenths) EXPECT_NEAR(n, 1000, 150);  // five standard deviations
}

}  // namespace
}  // namespace skald
