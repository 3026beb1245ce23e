// select_top of every tier against a stable sort: the same places for all values, ties, infinities and NaNs.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "base/thread_pool.h"
#include "tests/kernels/tier_test.h"
#include "tests/support/close_to.h"
#include "tests/support/guarded.h"
#include "tests/support/random.h"

namespace skald {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
const float kNoNumber = std::nanf("");
const int64_t kLengths[] = {0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 64, 128, 255, 256, 257, 511, 512, 513, 1000, 8192, 100003};

using Numbers = std::vector<float>;

std::set<int64_t> counts(int64_t n) {
  std::set<int64_t> out{0, n / 64, n / 16, n / 2, n};
  if (n > 0) out.insert({1, n - 1});
  return out;
}

/// All places, the largest value first, equal ones in their order, NaNs last.
std::vector<int32_t> by_rank(const Numbers& x) {
  std::vector<int32_t> places(x.size());
  std::iota(places.begin(), places.end(), 0);
  std::ranges::stable_sort(places, [&](int32_t a, int32_t b) {
    const float left = x[static_cast<size_t>(a)], right = x[static_cast<size_t>(b)];
    return std::isnan(right) ? !std::isnan(left) : left > right;
  });
  return places;
}

class SelectTop : public test::TierTest {
 protected:
  void selects(const Numbers& x, const std::vector<int32_t>& ranked, int64_t k) const {
    const auto n = static_cast<int64_t>(x.size());
    std::vector<int32_t> want(ranked.begin(), ranked.begin() + k);
    std::ranges::sort(want);
    const Numbers before = x;
    test::Guarded<int32_t> indices(k), scratch(select_top_scratch(n));
    kernels().select_top({.x = x.data(), .indices = indices.data(), .n = n, .k = k, .scratch = scratch.data()});
    EXPECT_TRUE(indices.intact()) << k << " of " << n << ": indices";
    EXPECT_TRUE(scratch.intact()) << k << " of " << n << ": scratch";
    EXPECT_TRUE(test::same_bits(x, before)) << "the input changed";
    const auto at = std::ranges::mismatch(indices.values(), want).in2 - want.begin();
    ASSERT_TRUE(std::ranges::equal(indices.values(), want)) << k << " of " << n << ": first difference at " << at;
  }
  void selects(const Numbers& x) const {
    const std::vector<int32_t> ranked = by_rank(x);
    for (int64_t k : counts(static_cast<int64_t>(x.size()))) selects(x, ranked, k);
  }
  /// Value i of n is value(i, n).
  void selects_of(const std::function<float(int64_t, int64_t)>& value) const {
    for (int64_t n : kLengths) {
      Numbers x;
      for (int64_t i = 0; i < n; ++i) x.push_back(value(i, n));
      selects(x);
    }
  }
  /// Numbers of a normal distribution, where `change` may put others in their place.
  void selects_changed(const std::function<void(Numbers&)>& change) const {
    for (int64_t n : kLengths) {
      Numbers x = test::normal(n, 1);
      change(x);
      selects(x);
    }
  }
};

TEST_P(SelectTop, FindsTheLargestOfRandomValues) {
  selects_changed([](Numbers&) {});
}

TEST_P(SelectTop, FindsTheLargestOfValuesFarApart) {
  selects_changed([](Numbers& x) {
    for (float& v : x) v = std::exp(8 * v);  // as softmax weights: many decades, most values tiny
  });
}

TEST_P(SelectTop, FindsTheLargestOfAscendingAndDescendingValues) {
  selects_of([](int64_t i, int64_t n) { return static_cast<float>(i - n / 2); });
  selects_of([](int64_t i, int64_t n) { return static_cast<float>(n / 2 - i); });
}

TEST_P(SelectTop, FindsTheLargestOfPeriodicValues) {
  for (int64_t period : {2, 32, 256, 391})
    selects_of([=](int64_t i, int64_t) {
      return static_cast<float>(i % period) + (i % period == 0 ? 0.0f : 1e-3f * static_cast<float>(i % 7));
    });
}

TEST_P(SelectTop, FindsTheLargestWhenTheyLieTogether) {
  selects_of([](int64_t i, int64_t n) { return static_cast<float>(i % 5) + (i > n / 3 && i < n / 2 ? 10.0f : 0.0f); });
}

TEST_P(SelectTop, TakesTheFirstOfEqualValues) {
  for (float same : {0.0f, -3.0f, 1e30f, -kInf, kInf}) selects_of([=](int64_t, int64_t) { return same; });
  selects_changed([](Numbers& x) {
    for (float& v : x) v = std::round(v);  // some ten different values
  });
  selects_changed([](Numbers& x) {
    for (float& v : x) v = v > 1.5f ? v : 0.0f;
  });
  selects_of([](int64_t i, int64_t n) { return i == n / 2 ? 1.0f : i % 3 == 0 ? 0.5f : -1.0f; });
}

TEST_P(SelectTop, ZerosOfBothSignsAreEqual) {
  selects_of([](int64_t i, int64_t) { return i % 3 == 0 ? 0.0f : -0.0f; });
  selects_of([](int64_t i, int64_t) { return i % 4 == 0 ? -0.0f : i % 4 == 1 ? 0.0f : i % 4 == 2 ? 1e-45f : -1e-45f; });
}

TEST_P(SelectTop, OrdersDenormals) {
  selects_changed([](Numbers& x) {
    for (float& v : x) v *= 1e-40f;
  });
}

TEST_P(SelectTop, OrdersDenormalsWhereArithmeticFlushesThem) {
  const Numbers x = test::normal(5000, 4, 1e-40f);
  std::vector<int32_t> scratch(static_cast<size_t>(select_top_scratch(5000))), got(300), want = by_rank(x);
  want.resize(got.size());
  std::ranges::sort(want);
  const ScopedFlushDenormals flush;
  kernels().select_top({.x = x.data(), .indices = got.data(), .n = 5000, .k = 300, .scratch = scratch.data()});
  EXPECT_EQ(got, want);
}

TEST_P(SelectTop, OrdersInfinities) {
  selects_changed([](Numbers& x) {
    for (size_t i = 0; i < x.size(); i += 3) x[i] = i % 2 == 0 ? kInf : -kInf;
    if (x.size() > 1) x[1] = std::numeric_limits<float>::max();
  });
}

TEST_P(SelectTop, TakesNansLast) {
  const float negative = std::bit_cast<float>(0xffc00001u), signalling = std::bit_cast<float>(0x7f800001u);
  for (size_t every : {size_t{1}, size_t{2}, size_t{17}})
    selects_changed([&](Numbers& x) {
      for (size_t i = 0; i < x.size(); i += every) x[i] = i % 3 == 0 ? kNoNumber : i % 3 == 1 ? negative : signalling;
      if (x.size() > 3) x[3] = -kInf;
    });
}

TEST_P(SelectTop, SurvivesASampleThatMisleads) {
  // The places at which generic/select.inl samples hold the only large values: far too few for its floor.
  constexpr int64_t kN = 1 << 16;
  Numbers x = test::normal(kN, 2);
  uint32_t random = 1;
  for (uint64_t stratum = 0; stratum < 256; ++stratum) {
    random = random * 747796405u + 2891336453u;
    x[((stratum << 24 | random >> 8) * kN) >> 32] += 100.0f;
  }
  selects(x);
  for (float& v : x) v = -v;  // now the sample sees none of them
  selects(x);
}

TEST_P(SelectTop, ManyRandomCallsAgreeWithASort) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const auto n = static_cast<int64_t>(seed * 7919 % 3000 + 1);
    const Numbers x = test::normal(n, seed);
    selects(x, by_rank(x), static_cast<int64_t>(seed * 104729 % static_cast<uint64_t>(n + 1)));
  }
}

TEST_P(SelectTop, ReadsUnalignedValues) {
  const Numbers x = test::normal(5001, 3);
  const Numbers shifted(x.begin() + 1, x.end());
  std::vector<int32_t> scratch(static_cast<size_t>(select_top_scratch(5000))), got(300), want(300);
  kernels().select_top({.x = x.data() + 1, .indices = got.data(), .n = 5000, .k = 300, .scratch = scratch.data()});
  kernels().select_top({.x = shifted.data(), .indices = want.data(), .n = 5000, .k = 300, .scratch = scratch.data()});
  EXPECT_EQ(got, want);
}

INSTANTIATE_TEST_SUITE_P(All, SelectTop, testing::ValuesIn(tiers()), test::tier_name);

}  // namespace
}  // namespace skald
