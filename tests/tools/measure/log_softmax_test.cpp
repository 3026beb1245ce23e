// Log-probabilities, beside the textbook's formula in double.
#include "tools/measure/log_softmax.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/support/random.h"

namespace skald {
namespace {

TEST(LogSoftmax, IsTheLogarithmOfTheSum) {
  for (const int64_t n : {1, 2, 100, 50000}) {
    const std::vector<float> x = test::normal(n, 7, 4);
    double sum = 0;
    for (const float v : x) sum += std::exp(static_cast<double>(v));
    EXPECT_NEAR(LogSoftmax(x).log_sum, std::log(sum), 1e-6) << n;
  }
}

TEST(LogSoftmax, DoesNotOverflow) {
  const std::vector<float> x = {3e4F, 3e4F, -3e4F, -std::numeric_limits<float>::infinity()};
  EXPECT_NEAR(LogSoftmax(x).log_sum, 3e4 + std::log(2.0), 1e-9);
}

TEST(LogSoftmax, FindsTheFirstOfTheLargest) {
  const std::vector<float> x = {1, 5, 2, 5};
  EXPECT_EQ(LogSoftmax(x).best, 1);
  EXPECT_EQ(LogSoftmax(x).largest, 5);
}

TEST(LogSoftmax, OfWhatIsNoNumberIsNone) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isnan(LogSoftmax(std::vector<float>{1, nan, 2}).log_sum));
  EXPECT_TRUE(std::isnan(LogSoftmax(std::vector<float>{nan, 1}).log_sum));
}

}  // namespace
}  // namespace skald
