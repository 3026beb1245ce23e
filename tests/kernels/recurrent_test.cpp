// The state kernels of every tier against their formulas in double.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/kernels/tier_test.h"
#include "tests/support/close_to.h"
#include "tests/support/guarded.h"
#include "tests/support/random.h"

namespace skald::recurrent_kernels_test {
namespace {

struct Size {
  int64_t n, d;
};
const Size kSizes[] = {{1, 1}, {3, 7}, {16, 8}, {16, 16}, {5, 31}, {128, 33}, {64, 64}, {128, 128}, {2, 200}};

double at(const std::vector<float>& x, int64_t i) { return static_cast<double>(x[static_cast<size_t>(i)]); }

using State = test::TierTest;

TEST_P(State, UpdateDecaysAddsAndReads) {
  for (const auto& [n, d] : kSizes) {
    const std::vector<float> before = test::normal(n * d, 1), keys = test::normal(n, 2), values = test::normal(d, 3),
                             queries = test::normal(n, 4);
    std::vector<float> decay = test::normal(n, 5);
    for (float& x : decay) x = 1 / (1 + std::exp(x));
    test::Guarded<float> state(n * d), out(d);
    std::ranges::copy(before, state.data());
    kernels().update_state({.state = state.data(),
                            .decay = decay.data(),
                            .keys = keys.data(),
                            .values = values.data(),
                            .queries = queries.data(),
                            .out = out.data(),
                            .n = n,
                            .d = d});
    std::vector<float> want(before.size()), sums(values.size());
    for (int64_t j = 0; j < d; ++j) {
      double sum = 0;
      for (int64_t i = 0; i < n; ++i) {
        const double s = at(decay, i) * at(before, i * d + j) + at(keys, i) * at(values, j);
        want[static_cast<size_t>(i * d + j)] = static_cast<float>(s);
        sum += at(queries, i) * s;
      }
      sums[static_cast<size_t>(j)] = static_cast<float>(sum);
    }
    EXPECT_TRUE(test::close_to(state.values(), want, 1e-6)) << n << " x " << d;
    EXPECT_TRUE(test::close_to(out.values(), sums, 1e-5 * std::sqrt(static_cast<double>(n)))) << n << " x " << d;
    EXPECT_TRUE(state.intact() && out.intact()) << n << " x " << d;
  }
}

TEST_P(State, ReadWeighsRows) {
  for (const auto& [n, d] : kSizes) {
    const std::vector<float> state = test::normal(n * d, 1), weights = test::normal(n, 2);
    test::Guarded<float> out(d);
    kernels().read_state(state.data(), weights.data(), out.data(), n, d);
    std::vector<float> want;
    for (int64_t j = 0; j < d; ++j) {
      double sum = 0;
      for (int64_t i = 0; i < n; ++i) sum += at(weights, i) * at(state, i * d + j);
      want.push_back(static_cast<float>(sum));
    }
    EXPECT_TRUE(test::close_to(out.values(), want, 1e-5 * std::sqrt(static_cast<double>(n)))) << n << " x " << d;
    EXPECT_TRUE(out.intact()) << n << " x " << d;
  }
}

INSTANTIATE_TEST_SUITE_P(Tiers, State, testing::ValuesIn(tiers()), test::tier_name);

}  // namespace
}  // namespace skald::recurrent_kernels_test
