// Searches for scales and lines, against trying very many.
#include "quant/search/scale.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "quant/search/levels.h"
#include "quant/search/line.h"
#include "tests/support/random.h"

namespace skald {
namespace {

constexpr int kValues = 32;

double error_of_scale(const float* x, const float* w, double scale, int low, int high) {
  double out = 0;
  for (int i = 0; i < kValues; ++i) {
    const double e = x[i] - scale * std::clamp(std::nearbyint(x[i] / scale), double(low), double(high));
    out += w[i] * e * e;
  }
  return out;
}

TEST(BestScale, IsNearlyTheBestOfAThousand) {
  const std::vector<float> all = test::normal(kValues * 50, 1), weights = test::normal(kValues * 50, 2);
  double found = 0, best = 0;
  for (int block = 0; block < 50; ++block) {
    const float* x = all.data() + block * kValues;
    float w[kValues];
    for (int i = 0; i < kValues; ++i) w[i] = std::exp(weights[static_cast<size_t>(block * kValues + i)]);
    const ScaleFit fit = best_scale<Steps<-8, 7>, kValues, 3>(x, w, {-9.2f, 0.2f});
    found += error_of_scale(x, w, fit.scale, -8, 7);
    double least = std::numeric_limits<double>::max();
    for (int i = 1; i <= 1000; ++i)
      for (const double sign : {1.0, -1.0}) least = std::min(least, error_of_scale(x, w, sign * i * 5e-4, -8, 7));
    best += least;
  }
  EXPECT_LE(found, 1.15 * best);
  EXPECT_GE(found, best * 0.999);
}

TEST(BestScale, IsExactForMultiples) {
  float x[kValues], w[kValues];
  for (int i = 0; i < kValues; ++i) {
    x[i] = 0.25f * static_cast<float>(i % 16 - 8);
    w[i] = 1;
  }
  const ScaleFit fit = best_scale<Steps<-8, 7>, kValues, 3>(x, w, {-9.2f, 0.2f});
  EXPECT_EQ(fit.scale, 0.25f);
}

TEST(BestLine, IsExactForArithmeticSequences) {
  float x[kValues], w[kValues];
  for (int i = 0; i < kValues; ++i) {
    x[i] = 0.25f * static_cast<float>(i * 7 % 16) - 1;
    w[i] = 1;
  }
  const Line line = best_line<15, true, kValues, 2>(x, w, {13.5f, 0.25f});
  EXPECT_NEAR(line.scale, 0.25f, 1e-6f);
  EXPECT_NEAR(line.offset, -1.0f, 1e-5f);
}

TEST(BestLine, FromZeroHasNoPositiveOffset) {
  std::vector<float> x = test::normal(kValues, 3);
  const std::vector<float> w(kValues, 1.0f);
  for (float& v : x) v = 5 + v;
  EXPECT_LE((best_line<15, true, kValues, 2>(x.data(), w.data(), {13.5f, 0.25f}).offset), 0);
  EXPECT_GT((best_line<15, false, kValues, 2>(x.data(), w.data(), {13.5f, 0.25f}).offset), 1);
}

TEST(Levels, NearestOfATableIsTheNearest) {
  static constexpr std::array<float, 4> kLevels = {-5, -1, 0, 3};
  using Few = Table<kLevels>;
  const Lanes v = {-9, -2.9f, -0.4f, 1.6f}, nearest = Few::nearest(v), numbers = Few::numbers(v);
  const float want[] = {-5, -1, 0, 3};
  for (int i = 0; i < kLanes; ++i) {
    EXPECT_EQ(nearest[i], want[i]);
    EXPECT_EQ(numbers[i], static_cast<float>(i));
  }
}

}  // namespace
}  // namespace skald
