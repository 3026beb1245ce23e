// The state kernels of every tier against their formulas in double.
#include <gtest/gtest.h>

#include <algorithm>
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

// As this many updates one after the other, bit for bit, however they are cut.
TEST_P(State, ScanGoesOnFromTokenToToken) {
  constexpr int64_t kTokens = 11;
  for (const auto& [n, d] : kSizes) {
    const int64_t key_stride = n + 3, value_stride = d + 5;
    const std::vector<float> before = test::normal(n * d, 1), keys = test::normal(kTokens * key_stride, 2),
                             queries = test::normal(kTokens * key_stride, 4),
                             values = test::normal(kTokens * value_stride, 3);
    std::vector<float> decays = test::normal(kTokens, 5);
    for (float& x : decays) x = 1 / (1 + std::exp(x));
    std::vector<float> want(static_cast<size_t>(kTokens * d)), state = before;
    for (int64_t t = 0; t < kTokens; ++t) {
      const std::vector<float> decay(static_cast<size_t>(n), decays[static_cast<size_t>(t)]);
      kernels().update_state({.state = state.data(),
                              .decay = decay.data(),
                              .keys = keys.data() + t * key_stride,
                              .values = values.data() + t * value_stride,
                              .queries = queries.data() + t * key_stride,
                              .out = want.data() + t * d,
                              .n = n,
                              .d = d});
    }
    for (const int64_t cut : {kTokens, int64_t{1}, int64_t{6}}) {
      test::Guarded<float> scanned(n * d), out(kTokens * d);
      std::ranges::copy(before, scanned.data());
      for (int64_t from = 0; from < kTokens; from += cut)
        kernels().scan_state({.state = scanned.data(),
                              .decays = decays.data() + from,
                              .keys = keys.data() + from * key_stride,
                              .queries = queries.data() + from * key_stride,
                              .values = values.data() + from * value_stride,
                              .out = out.data() + from * d,
                              .key_stride = key_stride,
                              .query_stride = key_stride,
                              .value_stride = value_stride,
                              .out_stride = d,
                              .tokens = std::min(cut, kTokens - from),
                              .n = n,
                              .d = d});
      EXPECT_TRUE(test::same_bits(scanned.values(), state)) << n << " x " << d << ", cut at " << cut;
      EXPECT_TRUE(test::same_bits(out.values(), want)) << n << " x " << d << ", cut at " << cut;
      EXPECT_TRUE(scanned.intact() && out.intact()) << n << " x " << d;
    }
  }
}

TEST_P(State, ConvolvesAChannelWithItsTaps) {
  for (const int64_t taps : {1, 2, 4, 7})
    for (const int64_t n : {1, 7, 8, 31, 64}) {
      const int64_t stride = n + 2;
      const std::vector<float> x = test::normal(taps * n, 1), weights = test::normal(taps * stride, 2),
                               bias = test::normal(n, 3);
      std::vector<const float*> rows;
      for (int64_t t = 0; t < taps; ++t) rows.push_back(x.data() + t * n);
      test::Guarded<float> out(n);
      kernels().conv_row({.rows = rows.data(),
                          .weights = weights.data(),
                          .bias = bias.data(),
                          .out = out.data(),
                          .taps = taps,
                          .stride = stride,
                          .n = n});
      std::vector<float> want;
      for (int64_t c = 0; c < n; ++c) {
        double sum = at(bias, c);
        for (int64_t t = 0; t < taps; ++t) sum += at(weights, t * stride + c) * at(x, t * n + c);
        want.push_back(static_cast<float>(sum));
      }
      EXPECT_TRUE(test::close_to(out.values(), want, 1e-5)) << taps << " taps, " << n << " channels";
      EXPECT_TRUE(out.intact());
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
