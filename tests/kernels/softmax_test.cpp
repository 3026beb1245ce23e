// Steps of an online softmax against exponentials in double: caps, ALiBi, maxima that grow or not, running sums.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/kernels/cache_memory.h"
#include "tests/kernels/tier_test.h"
#include "tests/support/guarded.h"

namespace skald {
namespace {

constexpr float kNone = -1e30f;  // the maximum before the first step

struct Step {
  std::vector<float> scores;
  float softcap = 0, bias = 0, slope = 0;
  float max = kNone, sum = 0;
};

/// The scores as they enter the exponential, in double, and the possible change by rounding.
struct Adjusted {
  explicit Adjusted(const Step& s) {
    const auto cap = static_cast<double>(s.softcap), bias = static_cast<double>(s.bias),
               slope = static_cast<double>(s.slope);
    for (size_t i = 0; i < s.scores.size(); ++i) {
      auto x = static_cast<double>(s.scores[i]);
      if (cap > 0) x = cap * std::tanh(x / cap);
      const double shift = bias + slope * static_cast<double>(i);
      scores.push_back(x + shift);
      error = std::max(error, 0x1p-24 * (2 * std::abs(x) + 2 * std::abs(shift) + std::abs(bias) + 6 * cap));
    }
    max = std::max(static_cast<double>(s.max), *std::ranges::max_element(scores));
  }
  std::vector<double> scores;
  double max, error = 0;
};

constexpr double kTiny = 2e-38;  // exponentials below are 0

class Softmax : public test::TierTest {
 protected:
  static constexpr int64_t kD = 19;

  void check(const Step& s) const {
    const auto n = static_cast<int64_t>(s.scores.size());
    const std::vector<float> before = test::normal(kD, 9);
    test::Guarded<float> scores(n + 1), out(kD);
    std::ranges::copy(s.scores, scores.data());
    scores[n] = std::numeric_limits<float>::quiet_NaN();
    std::ranges::copy(before, out.data());
    float max = s.max, sum = s.sum;
    kernels().adjust_scores({scores.data(), n, s.softcap, s.bias, s.slope});
    kernels().softmax({scores.data(), 0, 1, n, &max, &sum, out.data(), 0, kD});
    const Adjusted adjusted(s);
    ASSERT_NEAR(static_cast<double>(max), adjusted.max, adjusted.error);
    ASSERT_TRUE(std::isnan(scores[n])) << "after the scores";
    ASSERT_TRUE(scores.intact() && out.intact());
    check_sums(s, adjusted, before, scores.data(), sum, out.data());
  }

 private:
  static void check_sums(const Step& s, const Adjusted& adjusted, const std::vector<float>& before, const float* scores,
                         float sum, const float* out) {
    const double relative = 2 * adjusted.error + 0x1p-24 * (8 + std::abs(adjusted.max));
    const double shrink = std::exp(static_cast<double>(s.max) - adjusted.max);
    test::Expected want_scores, want_out;
    double total = static_cast<double>(s.sum) * shrink;
    for (double x : adjusted.scores) {
      const double e = std::exp(x - adjusted.max);
      want_scores.add(e, e * (relative + 0x1p-24 * std::abs(x)) + kTiny);
      total += e;
    }
    for (float x : before)
      want_out.add(static_cast<double>(x) * shrink, std::abs(static_cast<double>(x)) * (shrink * relative * 2 + kTiny));
    ASSERT_TRUE(want_scores.matches(scores));
    ASSERT_TRUE(want_out.matches(out));
    ASSERT_NEAR(static_cast<double>(sum), total, total * relative * 2 + kTiny);
  }
};

TEST_P(Softmax, IsExponentialsForEveryNumberOfKeys) {
  for (int64_t n = 1; n <= kPageKeys; ++n) {
    SCOPED_TRACE(n);
    check({.scores = test::normal(n, static_cast<uint64_t>(n), 3)});
  }
}

TEST_P(Softmax, ScalesWhatWasThereWhenTheMaximumGrows) {
  for (float max : {-20.0f, -3.0f, 0.0f, 1.0f})
    for (int64_t n : {1, 5, 16, 37}) {
      SCOPED_TRACE(testing::Message() << n << " keys, the maximum was " << max);
      std::vector<float> scores = test::normal(n, 4);
      scores[static_cast<size_t>(n / 2)] = 5;
      check({.scores = scores, .max = max, .sum = 3});
    }
}

TEST_P(Softmax, LeavesWhatWasThereWhenTheMaximumStays) {
  for (int64_t n : {1, 5, 16, 37}) {
    std::vector<float> scores = test::normal(n, 4);
    const std::vector<float> before = test::normal(kD, 5);
    std::vector<float> out = before;
    float max = 10, sum = 3;
    kernels().softmax({scores.data(), 0, 1, n, &max, &sum, out.data(), 0, kD});
    EXPECT_EQ(max, 10.0f);
    EXPECT_TRUE(test::same_bits(out, before)) << n;
    check({.scores = test::normal(n, 4), .max = 10, .sum = 3});
  }
}

TEST_P(Softmax, CapsScores) {
  for (float cap : {1.0f, 30.0f, 50.0f})
    for (float spread : {0.01f, 1.0f, 40.0f, 1e4f}) {
      SCOPED_TRACE(testing::Message() << "cap " << cap << ", scores of " << spread);
      check({.scores = test::normal(37, 6, spread), .softcap = cap, .max = -2, .sum = 2});
    }
}

TEST_P(Softmax, AddsABiasThatGrowsFromKeyToKey) {
  for (float slope : {0.0f, 0.5f, 0.0039f})
    for (float bias : {0.0f, -1.5f, -4000.0f}) {
      SCOPED_TRACE(testing::Message() << "slope " << slope << ", bias " << bias);
      for (int64_t n : {1, 7, 16, 63}) check({.scores = test::normal(n, 7), .bias = bias, .slope = slope});
      check({.scores = test::normal(64, 8, 30), .softcap = 20, .bias = bias, .slope = slope, .max = bias, .sum = 4});
    }
}

TEST_P(Softmax, SurvivesPeakedScores) {
  for (float spread : {0.0f, 30.0f, 1e3f, 1e6f})
    for (int64_t n : {1, 8, 33, 64}) {
      SCOPED_TRACE(testing::Message() << n << " scores of " << spread);
      check({.scores = test::normal(n, 10, spread)});
      check({.scores = test::normal(n, 11, spread), .max = 50, .sum = 1.5f});
    }
}

// All keys page by page give the same as at once: the sum, and the weights relative to it.
TEST_P(Softmax, RunsOverPages) {
  const std::vector<float> all = test::normal(1000, 12, 4);
  for (int64_t page : {1, 3, 16, 64}) {
    float max = kNone, sum = 0, out = 0;
    for (int64_t at = 0; at < 1000; at += page) {
      std::vector<float> scores(all.begin() + at, all.begin() + std::min<int64_t>(at + page, 1000));
      kernels().softmax({scores.data(), 0, 1, std::ssize(scores), &max, &sum, &out, 0, 1});
      for (size_t i = 0; i < scores.size(); ++i) out += scores[i] * std::sin(static_cast<float>(at) + static_cast<float>(i));
    }
    const auto top = static_cast<double>(*std::ranges::max_element(all));
    double want_sum = 0, want = 0;
    for (size_t i = 0; i < all.size(); ++i) {
      const double e = std::exp(static_cast<double>(all[i]) - top);
      want_sum += e;
      want += e * std::sin(static_cast<double>(i));
    }
    EXPECT_EQ(static_cast<double>(max), top);
    EXPECT_NEAR(static_cast<double>(sum), want_sum, want_sum * 5e-6) << page;
    EXPECT_NEAR(static_cast<double>(out / sum), want / want_sum, 5e-6) << page;
  }
}

// Rows side by side give the same as each of them alone, bit for bit.
TEST_P(Softmax, TakesAnyNumberOfRows) {
  constexpr int64_t kStride = 70, kOutStride = 21;
  for (int64_t rows : {2, 3, 4, 5, 7, 8, 13})
    for (int64_t n : {1, 15, 37, 64}) {
      SCOPED_TRACE(testing::Message() << rows << " rows of " << n);
      std::vector<float> scores = test::normal(rows * kStride, 13, 3), out = test::normal(rows * kOutStride, 14);
      std::vector<float> max = test::normal(rows, 15, 5), sum(static_cast<size_t>(rows), 2.0f);
      std::vector<float> want_scores = scores, want_out = out, want_max = max, want_sum = sum;
      kernels().softmax({scores.data(), kStride, rows, n, max.data(), sum.data(), out.data(), kOutStride, kD});
      for (int64_t r = 0; r < rows; ++r)
        kernels().softmax({want_scores.data() + r * kStride, 0, 1, n, want_max.data() + r, want_sum.data() + r,
                           want_out.data() + r * kOutStride, 0, kD});
      EXPECT_TRUE(test::same_bits(scores, want_scores));
      EXPECT_TRUE(test::same_bits(out, want_out));
      EXPECT_TRUE(test::same_bits(max, want_max));
      EXPECT_TRUE(test::same_bits(sum, want_sum));
    }
}

TEST_P(Softmax, PassesOnWhatIsNoNumber) {
  std::vector<float> scores{1, std::numeric_limits<float>::quiet_NaN(), 2};
  float max = kNone, sum = 0, out = 0;
  kernels().softmax({scores.data(), 0, 1, 3, &max, &sum, &out, 0, 1});
  EXPECT_TRUE(std::isnan(sum));
}

INSTANTIATE_TEST_SUITE_P(All, Softmax, testing::ValuesIn(tiers()), test::tier_name);

}  // namespace
}  // namespace skald
