// Means with their errors, beside formulas over all values at once.
#include "tools/measure/mean_error.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/random.h"

namespace skald {
namespace {

TEST(MeanErrorTest, IsTheTextbooks) {
  MeanError m;
  for (const double v : {1.0, 2.0, 4.0}) m.add(v);
  EXPECT_EQ(m.count(), 3);
  EXPECT_DOUBLE_EQ(m.mean(), 7.0 / 3);
  // The variance is 14/9; of the mean with n - 1.
  EXPECT_DOUBLE_EQ(m.error(), std::sqrt(14.0 / 9 / 2));
}

TEST(MeanErrorTest, KeepsItsDigitsFarFromZero) {
  MeanError m;
  for (int i = 0; i < 1000; ++i) m.add(1e9 + i % 2);
  EXPECT_NEAR(m.error(), 0.5 / std::sqrt(999.0), 1e-9);
}

TEST(MeanErrorTest, OfFewValuesIsZero) {
  MeanError m;
  EXPECT_EQ(m.error(), 0);
  m.add(5);
  EXPECT_EQ(m.mean(), 5);
  EXPECT_EQ(m.error(), 0);
}

TEST(MeanPairTest, OfTheSameValuesIsCorrelated) {
  MeanPair p;
  for (const float v : test::normal(100, 1)) p.add(v, static_cast<double>(v) + 3);
  EXPECT_NEAR(p.correlation(), 1, 1e-12);
  EXPECT_NEAR(p.difference().error(), 0, 1e-9);
}

TEST(MeanPairTest, HasTheErrorOfTheDifferences) {
  const std::vector<float> a = test::normal(500, 1), b = test::normal(500, 2);
  MeanPair p;
  for (size_t i = 0; i < a.size(); ++i) p.add(a[i], a[i] / 2 + b[i]);
  EXPECT_NEAR(p.difference().mean(), p.a().mean() - p.b().mean(), 1e-12);
  const double square = p.a().error() * p.a().error() + p.b().error() * p.b().error() - 2 * p.covariance();
  EXPECT_NEAR(p.difference().error(), std::sqrt(square), 1e-12);
}

TEST(MeanPairTest, OfAConstantHasNoCorrelation) {
  MeanPair p;
  p.add(1, 2);
  p.add(1, 3);
  EXPECT_EQ(p.correlation(), 0);
}

}  // namespace
}  // namespace skald
