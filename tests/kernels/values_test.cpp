// Weighted sums of values in every cache format, added to what is there, against sums in double.
#include <gtest/gtest.h>

#include <vector>

#include "tests/kernels/cache_memory.h"
#include "tests/kernels/tier_test.h"
#include "tests/support/guarded.h"

namespace skald {
namespace {

struct Case {
  int64_t group, n, d;
};

/// before (d) + sum over i of p[i] * values[i] (n, d).
test::Expected expected(const Case& c, std::span<const float> before, std::span<const float> p,
                        const std::vector<float>& x) {
  test::Expected out;
  for (int64_t col = 0; col < c.d; ++col) {
    std::vector<float> weights = {1.0f}, terms = {before[static_cast<size_t>(col)]};
    for (int64_t i = 0; i < c.n; ++i) {
      weights.push_back(p[static_cast<size_t>(i)]);
      terms.push_back(x[static_cast<size_t>(i * c.d + col)]);
    }
    const test::Dot dot(weights, terms);
    out.add(dot.sum, dot.limit(test::roundings(c.n)));
  }
  return out;
}

class Values : public test::TierTest {
 protected:
  void check(const Case& c, const Format& format) const {
    SCOPED_TRACE(testing::Message() << format.name << ", group " << c.group << ", " << c.n << " values of " << c.d);
    const test::CacheRows values(format, c.n, c.d, 1);
    const int64_t p_stride = c.n + 5, stride = c.d + 1;
    const std::vector<float> p = test::normal(c.group * p_stride, 2), before = test::normal(c.group * c.d, 3);
    test::Guarded<float> out(c.group * stride);
    for (int64_t g = 0; g < c.group; ++g) std::ranges::copy(test::row_of(before, g, c.d), out.data() + g * stride);
    kernels().values[format.id](
        {p.data(), p_stride, c.group, values.rows.data(), c.n, c.d, out.data(), stride, values.next(c.n + c.d / 16)});
    for (int64_t g = 0; g < c.group; ++g) {
      const test::Expected want = expected(c, test::row_of(before, g, c.d), test::row_of(p, g, p_stride), values.values);
      ASSERT_TRUE(want.matches(out.data() + g * stride)) << g;
      ASSERT_TRUE(out.untouched(g * stride + c.d)) << "behind the result of head " << g;
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

INSTANTIATE_TEST_SUITE_P(All, Values, testing::ValuesIn(tiers()), test::tier_name);

}  // namespace
}  // namespace skald
