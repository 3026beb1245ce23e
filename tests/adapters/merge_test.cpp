// Merging beside a plain sum, over tails of rows, experts and tables.
#include "adapters/merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <span>

#include "tests/support/close_to.h"
#include "tests/support/errors.h"
#include "tests/support/random.h"

namespace skald {
namespace {

LowRank change_of(const Shape& a, const Shape& b) {
  return {{"a", test::normal(a.elements(), 1), a}, {"b", test::normal(b.elements(), 2), b}, 0.5f};
}

// All rows of a weight.
void add_change(std::span<float> weight, const Shape& shape, const LowRank& change, float scale, bool table) {
  const ChangeRows rows(change, shape, scale, table);
  for (int64_t row = 0; row < shape.rows(); ++row) rows.add(row, weight.data() + row * shape.back());
}

TEST(Merge, AddsTheProduct) {
  for (const int64_t k : {1, 31, 32, 33, 96}) {
    const LowRank change = change_of({3, k}, {5, 3});
    const std::vector<float> a = change.a.values(), b = change.b.values(), before = test::normal(5 * k, 3);
    std::vector<float> got = before, want = before;
    add_change(got, {5, k}, change, 4, false);
    for (int64_t i = 0; i < 5; ++i)
      for (int64_t j = 0; j < k; ++j)
        for (int64_t r = 0; r < 3; ++r)
          want[static_cast<size_t>(i * k + j)] += 2 * b[static_cast<size_t>(i * 3 + r)] * a[static_cast<size_t>(r * k + j)];
    EXPECT_TRUE(test::close_to(got, want, 1e-5)) << k;
  }
}

TEST(Merge, OfExpertsEachHasItsOwn) {
  const LowRank all = change_of({2, 3, 40}, {2, 5, 3});
  std::vector<float> got(2 * 5 * 40), want(5 * 40);
  add_change(got, {2, 5, 40}, all, 1, false);
  const std::vector<float> a = all.a.values(), b = all.b.values();
  const LowRank second{{"a", std::span(a).subspan(120), {3, 40}}, {"b", std::span(b).subspan(15), {5, 3}}, 0.5f};
  add_change(want, {5, 40}, second, 1, false);
  EXPECT_TRUE(test::same_bits(std::span(got).subspan(200), want));
}

TEST(Merge, OfATableTheFactorsAreTurned) {
  const LowRank table = change_of({7, 2}, {40, 2});
  std::vector<float> got(7 * 40), want(7 * 40);
  add_change(got, {7, 40}, table, 1, true);
  const std::vector<float> a = table.a.values(), b = table.b.values();
  for (size_t i = 0; i < 7; ++i)
    for (size_t j = 0; j < 40; ++j) want[i * 40 + j] = 0.5f * (a[i * 2] * b[j * 2] + a[i * 2 + 1] * b[j * 2 + 1]);
  EXPECT_TRUE(test::close_to(got, want, 1e-5));
}

TEST(Merge, RefusesAnotherShape) {
  const LowRank change = change_of({3, 8}, {5, 3});
  const auto refusal = [&](const Shape& weight, bool table) {
    return test::error_of([&] { ChangeRows(change, weight, 1, table); });
  };
  EXPECT_EQ(refusal({5, 8}, false).code(), Errc::kInternal) << "it fits";
  for (const Shape& other : {Shape{8, 5}, Shape{5, 9}, Shape{2, 5, 8}, Shape{40}})
    EXPECT_THAT(refusal(other, false).what(), testing::HasSubstr(other.to_string()));
  EXPECT_EQ(refusal({5, 8}, true).code(), Errc::kBadFile);
}

}  // namespace
}  // namespace skald
