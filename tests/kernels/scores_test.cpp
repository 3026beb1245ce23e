// Scores of query groups against keys in rows and by dimensions, in every cache format, against sums in double.
#include <gtest/gtest.h>

#include <vector>

#include "tests/kernels/activations.h"
#include "tests/kernels/cache_memory.h"
#include "tests/kernels/tier_test.h"
#include "tests/support/guarded.h"

namespace skald {
namespace {

using test::Expected;

struct Case {
  int64_t group, n, d;
};

testing::Message text(const Case& c, const Format& format) {
  return testing::Message() << format.name << ", group " << c.group << ", " << c.n << " keys of " << c.d;
}

/// Scores of one query (d) with keys (n, d).
template <class Query>
Expected expected(const Case& c, const Query& q, const std::vector<float>& keys) {
  Expected out;
  for (int64_t i = 0; i < c.n; ++i) {
    const test::Dot dot(q, test::row_of(keys, i, c.d));
    out.add(dot.sum, dot.limit(test::roundings(c.d)));
  }
  return out;
}

class RowScores : public test::TierTest {
 protected:
  void check(const Case& c, const Format& format) const {
    SCOPED_TRACE(text(c, format));
    const test::CacheRows keys(format, c.n, c.d, 1);
    const test::Activations q(kernels().score_act[format.id], test::normal(c.group * c.d, 2), c.group, c.d);
    const int64_t stride = c.n + 1;
    test::Guarded<float> scores(c.group * stride);
    kernels().row_scores[format.id](
        {q.bytes.data(), q.stride, c.group, keys.rows.data(), c.n, c.d, scores.data(), stride, keys.next(c.n + c.d / 16)});
    for (int64_t g = 0; g < c.group; ++g) {
      ASSERT_TRUE(expected(c, test::row_of(q.values, g, c.d), keys.values).matches(scores.data() + g * stride)) << g;
      ASSERT_TRUE(scores.untouched(g * stride + c.n)) << "after the scores of head " << g;
    }
    ASSERT_TRUE(scores.intact());
  }
};

TEST_P(RowScores, AreDotProductsForEveryHeadSize) {
  for (const Format* f : test::cache_formats())
    for (int64_t d : test::head_sizes(*f)) check({3, 21, d}, *f);
}

TEST_P(RowScores, AreDotProductsForEveryNumberOfKeys) {
  for (const Format* f : test::cache_formats())
    for (int64_t n = 1; n <= kPageKeys; ++n) check({n % 3 + 1, n, 64}, *f);
}

TEST_P(RowScores, AreDotProductsForEveryGroup) {
  for (const Format* f : test::cache_formats())
    for (int64_t group = 1; group <= 9; ++group)
      for (int64_t n : {1, 7, 64}) check({group, n, 96}, *f);
}

class DimScores : public test::TierTest {
 protected:
  // Scores from n on are garbage, within the page's keys.
  void check(const Case& c, const Format& format) const {
    SCOPED_TRACE(text(c, format));
    const test::KeyPage page(format, c.n, c.d, 1);
    const int64_t q_stride = c.d + 3, stride = kPageKeys + 1;
    const std::vector<float> q = test::normal(c.group * q_stride, 2);
    test::Guarded<float> scores(c.group * stride);
    kernels().dim_scores[format.id](
        {q.data(), q_stride, c.group, page.keys(), page.stride, page.next(), c.n, c.d, scores.data(), stride});
    for (int64_t g = 0; g < c.group; ++g) {
      const std::span<const float> query = test::row_of(q, g, q_stride).first(static_cast<size_t>(c.d));
      ASSERT_TRUE(expected(c, query, page.values).matches(scores.data() + g * stride)) << g;
      ASSERT_TRUE(scores.untouched(g * stride + kPageKeys)) << "after the page of head " << g;
    }
    ASSERT_TRUE(scores.intact());
  }
};

TEST_P(DimScores, AreDotProductsForEveryHeadSize) {
  for (const Format* f : test::plain_formats())
    for (int64_t d : test::head_sizes(*f)) check({3, 21, d}, *f);
}

TEST_P(DimScores, AreDotProductsForEveryNumberOfKeys) {
  for (const Format* f : test::plain_formats())
    for (int64_t n = 1; n <= kPageKeys; ++n)
      for (int64_t group : {1, 2, 4}) check({group, n, 33}, *f);
}

TEST_P(DimScores, AreDotProductsForEveryGroup) {
  for (const Format* f : test::plain_formats())
    for (int64_t group = 1; group <= 9; ++group)
      for (int64_t n : {1, 17, 64}) check({group, n, 80}, *f);
}

INSTANTIATE_TEST_SUITE_P(All, RowScores, testing::ValuesIn(tiers()), test::tier_name);
INSTANTIATE_TEST_SUITE_P(All, DimScores, testing::ValuesIn(tiers()), test::tier_name);

}  // namespace
}  // namespace skald
