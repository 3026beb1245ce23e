#include "sampling/softmax.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"

namespace skald {
namespace {

std::vector<float> logits(size_t n, uint64_t seed) {
  Rng rng(seed);
  std::vector<float> out(n);
  for (float& x : out) x = static_cast<float>(20 * rng.uniform() - 10);
  return out;
}

double log_sum(const std::vector<float>& x) {
  double sum = 0;
  for (const float v : x) sum += std::exp(static_cast<double>(v));
  return std::log(sum);
}

TEST(Softmax, ReturnsTheLogarithmOfTheSum) {
  for (const size_t n : {1U, 7U, 64U, 1003U}) {
    const std::vector<float> x = logits(n, n);
    std::vector<float> out;
    EXPECT_NEAR(softmax(x, out), log_sum(x), 1e-5) << n;
    EXPECT_NEAR(out[n - 1], std::exp(static_cast<double>(x[n - 1]) - log_sum(x)), 1e-6) << n;
  }
}

TEST(Divergence, IsThatOfItsDefinition) {
  std::vector<float> work;
  for (const size_t n : {1U, 7U, 64U, 1003U}) {
    const std::vector<float> p = logits(n, 1), q = logits(n, 2);
    double want = 0;
    for (size_t i = 0; i < n; ++i) {
      const double log_p = static_cast<double>(p[i]) - log_sum(p), log_q = static_cast<double>(q[i]) - log_sum(q);
      want += std::exp(log_p) * (log_p - log_q);
    }
    EXPECT_NEAR(divergence(p, q, work), want, 1e-5 * (1 + want)) << n;
    EXPECT_NEAR(divergence(p, p, work), 0, 1e-6) << n;
  }
}

}  // namespace
}  // namespace skald
