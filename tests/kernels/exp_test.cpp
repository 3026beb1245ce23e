// The exponential of attention, from tiny to huge arguments: no NaN, and small relative errors.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/kernels/tier_test.h"
#include "tests/support/close_to.h"

namespace skald {
namespace {

using Exp = test::TierTest;

/// The mean of the numbers 0, 1, 2... weighted by the softmax of these scores.
float weighted_mean(const KernelTable& kernels, std::vector<float> scores) {
  const auto n = static_cast<int64_t>(scores.size());
  float max = -1e30f, sum = 0, out = 0;
  kernels.softmax({scores.data(), 0, 1, n, &max, &sum, &out, 0, 1});
  for (int64_t j = 0; j < n; ++j) out += scores[static_cast<size_t>(j)] * static_cast<float>(j);
  return out / sum;
}

TEST_P(Exp, SoftmaxSurvivesScoresOfAnySize) {
  EXPECT_EQ(weighted_mean(kernels(), {-1e4f, 1e4f, -1e4f}), 1.0f);
  EXPECT_EQ(weighted_mean(kernels(), {1e4f, -1e4f, 0.0f, -1e4f}), 0.0f);
  EXPECT_EQ(weighted_mean(kernels(), {-1e4f, -1e4f, -1e4f}), 1.0f);
  EXPECT_EQ(weighted_mean(kernels(), {1e4f, 1e4f, 1e4f, -1e4f}), 1.0f);
  EXPECT_EQ(weighted_mean(kernels(), {-1e20f, -1e20f, -1e20f}), 1.0f);
  EXPECT_EQ(weighted_mean(kernels(), {0.0f, 0.0f, 0.0f, 0.0f, 0.0f}), 2.0f);
}

TEST_P(Exp, SoftmaxWeighsByExponentials) {
  for (float apart : {0.1f, 1.0f, 5.0f, 20.0f, 60.0f, 86.0f}) {
    const double p = 1 / (1 + std::exp(static_cast<double>(apart)));
    EXPECT_NEAR(static_cast<double>(weighted_mean(kernels(), {0.0f, -apart})), p, p * 5e-7) << apart;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Exp, testing::ValuesIn(tiers()), test::tier_name);

}  // namespace
}  // namespace skald
