// Weighted sums of values in every cache format, added to the sums that are there, against sums in double.
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

struct ValuesCase {
  int64_t group, n, d;
};

float largest(std::span<const float> x) {
  float most = 0;
  for (float v : x) most = std::max(most, std::abs(v));
  return most;
}

/// before (d) + sum over i of p[i] * values[i] (n, d).
test::Expected expected(const ValuesCase& c, std::span<const float> before, std::span<const float> p,
                        const std::vector<float>& x, bool rounded) {
  test::Expected out;
  // Of each weight up to half of a unit is lost, and the largest code stands for the largest value.
  const double lost = rounded ? 0.5 / test::kMostWeight * static_cast<double>(c.n) *
                                    static_cast<double>(largest(p.first(static_cast<size_t>(c.n))) * largest(x))
                              : 0;
  for (int64_t col = 0; col < c.d; ++col) {
    std::vector<float> weights = {1.0f}, terms = {before[static_cast<size_t>(col)]};
    for (int64_t i = 0; i < c.n; ++i) {
      weights.push_back(p[static_cast<size_t>(i)]);
      terms.push_back(x[static_cast<size_t>(i * c.d + col)]);
    }
    const test::Dot dot(weights, terms);
    out.add(dot.sum, dot.limit(test::roundings(c.n)) + lost);
  }
  return out;
}

class Values : public test::TierTest {
 protected:
  void check(const ValuesCase& c, const Format& format) const {
    SCOPED_TRACE(testing::Message() << format.name << ", group " << c.group << ", " << c.n << " values of " << c.d);
    const test::CacheRows values(format, c.n, c.d, 1);
    const int64_t p_stride = c.n + 5, stride = c.d + 1;
    const std::vector<float> p = test::normal(c.group * p_stride, 2), before = test::normal(c.group * c.d, 3);
    test::Guarded<float> out(c.group * stride);
    for (int64_t g = 0; g < c.group; ++g) std::ranges::copy(test::row_of(before, g, c.d), out.data() + g * stride);
    kernels().values[format.id](
        {p.data(), p_stride, c.group, values.rows.data(), c.n, c.d, out.data(), stride, values.next(c.n + c.d / 16)});
    for (int64_t g = 0; g < c.group; ++g) {
      const test::Expected want = expected(c, test::row_of(before, g, c.d), test::row_of(p, g, p_stride), values.values,
                                           test::rounds_weights(tier().name, format, c.group));
      ASSERT_TRUE(want.matches(out.data() + g * stride)) << g;
      ASSERT_TRUE(out.untouched(g * stride + c.d)) << "after the result of head " << g;
    }
    ASSERT_TRUE(out.intact());
  }
};

TEST_P(Values, AreWeightedSumsForEveryHeadSize) {
  for (const Format* f : test::cache_formats())
    for (int64_t d : test::head_sizes(*f)) check({3, 21, d}, *f);
}

TEST_P(Values, AreWeightedSumsForEveryNumberOfKeys) {
  for (const Format* f : test::cache_formats())
    for (int64_t n = 1; n <= kPageKeys; ++n) check({n % 3 + 1, n, 32}, *f);
}

TEST_P(Values, AreWeightedSumsOfMoreThanAPage) {
  for (const Format* f : test::cache_formats())
    for (int64_t group : {1, 4, 9})
      for (int64_t n : {65, 100, 129}) check({group, n, 160}, *f);
}

TEST_P(Values, AreWeightedSumsForEveryGroup) {
  for (const Format* f : test::cache_formats())
    for (int64_t group = 1; group <= 9; ++group)
      for (int64_t d : {32, 160}) check({group, 13, d}, *f);
}

TEST_P(Values, AreWeightedSumsForGroupsOfOddHeadSizes) {
  for (const Format* f : test::plain_formats())
    for (int64_t group = 1; group <= 9; ++group)
      for (int64_t d : {1, 17, 100}) check({group, 13, d}, *f);
}

TEST_P(Values, OfWeightsThatAreAllZeroChangeNothing) {
  for (const Format* f : test::cache_formats()) {
    const test::CacheRows values(*f, 20, 64, 1);
    const std::vector<float> p(4 * 20), before = test::normal(4 * 64, 3);
    std::vector<float> out = before;
    kernels().values[f->id]({p.data(), 20, 4, values.rows.data(), 20, 64, out.data(), 64, {}});
    EXPECT_EQ(out, before) << f->name;
  }
}

TEST_P(Values, DoNotLetWeightsThatAreNoNumbersPassForSuch) {
  for (const Format* f : test::cache_formats())
    for (float wrong : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()})
      for (size_t row = 0; row < 20; ++row) {
        const test::CacheRows values(*f, 20, 64, 1);
        std::vector<float> p = test::normal(4 * 20, 2), out(4 * 64);
        p[20 + row] = wrong;  // of head 1
        kernels().values[f->id]({p.data(), 20, 4, values.rows.data(), 20, 64, out.data(), 64, {}});
        for (size_t i = 0; i < out.size(); ++i)
          EXPECT_EQ(std::isfinite(out[i]), i / 64 != 1) << f->name << " " << row << " " << i;
      }
}

INSTANTIATE_TEST_SUITE_P(All, Values, testing::ValuesIn(tiers()), test::tier_name);

}  // namespace
}  // namespace skald
