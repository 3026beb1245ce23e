// SparqParams: what a ratio chooses, which defaults there are, and which values are refused.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "skald/sparq_params.h"
#include "tests/support/errors.h"

namespace skald {
namespace {

/// Elements that are read, as the paper counts them, of those that dense attention reads.
double transfer(const SparqParams::Choice& c, int64_t n_keys, int64_t d_k, int64_t d_v) {
  const int64_t dense = n_keys * (d_k + d_v);
  if (c.k2 >= n_keys) return 1;
  return static_cast<double>(n_keys * c.k1 + c.k2 * (d_k + d_v)) / static_cast<double>(dense);
}

TEST(SparqRatio, IsTheTransferOfWhatItChooses) {
  for (const double ratio : {2.0, 4.0, 8.0})
    for (const int64_t d : {64, 128, 256})
      for (const int64_t n : {4096, 8192, 16384, 131072}) {
        const SparqParams params{.ratio = ratio, .mean = {}};
        const double want = 1 / ratio, got = transfer(params.choose(n, d, d), n, d, d);
        EXPECT_NEAR(got, want, 0.04 * want) << ratio << " at " << n << " keys of " << d;
      }
}

TEST(SparqRatio, GivesScoresAndKeptKeysAboutHalfOfTheTransferEach) {
  for (const double ratio : {2.0, 4.0, 8.0, 16.0})
    for (const int64_t d : {64, 128, 256})
      for (const int64_t n : {1024, 2048, 4096, 8192, 131072}) {
        const SparqParams::Choice c = SparqParams{.ratio = ratio, .mean = {}}.choose(n, d, d);
        if (c.k2 >= n) continue;
        const auto scores = static_cast<double>(n * c.k1), keys = static_cast<double>(c.k2 * 2 * d);
        EXPECT_NEAR(scores / (scores + keys), 0.5, 0.15) << ratio << " at " << n << " keys of " << d;
      }
}

TEST(SparqRatio, IsDenseForSequencesThatAreTooShort) {
  const SparqParams params{.ratio = 8, .mean = {}};
  for (const int64_t n : {1, 10, 128, 129, 1000, 1024, 1600}) EXPECT_GE(params.choose(n, 128, 128).k2, n) << n;
  EXPECT_LT(params.choose(2048, 128, 128).k2, 2048);
}

// Counted one by one, so that it also holds that no longer sequence is dense again.
TEST(SparqFrom, IsWhereNoRowReadsAllKeysAnyMore) {
  std::vector<SparqParams> all = {{.k1 = 8, .k2 = 1, .mean = {}}, {.k1 = 8, .k2 = 512, .mean = {}}};
  for (const double ratio : {1.0001, 1.01, 1.3, 1.5, 2.0, 3.0, 4.0, 7.5, 8.0, 16.0, 60.0})
    all.push_back({.ratio = ratio, .mean = {}});
  for (const SparqParams& params : all)
    for (const auto& [d_k, d_v] : {std::pair{64, 64}, {192, 128}, {16, 256}}) {
      const std::optional<int64_t> from = params.sparse_from(d_k, d_v);
      ASSERT_TRUE(from) << params.ratio;
      for (int64_t n = 1; n < 20000; ++n)
        ASSERT_EQ(params.choose(n, d_k, d_v).k2 < n, n >= *from) << params.ratio << " at " << n;
    }
  EXPECT_EQ((SparqParams{.k1 = 8, .k2 = 512, .mean = {}}.sparse_from(64, 64)), 513);
  EXPECT_EQ((SparqParams{.ratio = 8, .mean = {}}.sparse_from(64, 64)), 1639);
}

TEST(SparqFrom, IsNowhereWithoutAnythingToSave) {
  EXPECT_FALSE((SparqParams{.ratio = 1, .mean = {}}.sparse_from(64, 64)));
  EXPECT_FALSE((SparqParams{.k1 = 0, .k2 = 8, .mean = {}}.sparse_from(64, 64)));
  EXPECT_FALSE(SparqParams{.mean = {}}.sparse_from(64, 64));
}

TEST(SparqRatio, NeverChoosesMoreComponentsThanThereAre) {
  for (const double ratio : {1.0, 1.01, 1.5, 64.0, 1024.0})
    for (const int64_t n : {1, 200, 5000, 1 << 20}) {
      const SparqParams::Choice c = SparqParams{.ratio = ratio, .mean = {}}.choose(n, 64, 32);
      EXPECT_GE(c.k1, 1);
      EXPECT_LE(c.k1, 64);
      EXPECT_GE(c.k2, 1);
      EXPECT_LE(c.local, c.k2);
    }
}

TEST(SparqChoice, IsWhatWasAskedFor) {
  const SparqParams::Choice c = SparqParams{.k1 = 16, .k2 = 100, .local = 7, .mean = {}}.choose(1000, 64, 64);
  EXPECT_EQ(c.k1, 16);
  EXPECT_EQ(c.k2, 100);
  EXPECT_EQ(c.local, 7);
}

TEST(SparqChoice, KeepsWithinWhatThereIs) {
  EXPECT_EQ((SparqParams{.k1 = 99, .k2 = 10, .mean = {}}.choose(1000, 64, 64).k1), 64);
  EXPECT_EQ((SparqParams{.k1 = 9, .k2 = 10, .local = 50, .mean = {}}.choose(1000, 64, 64).local), 10);
  EXPECT_EQ((SparqParams{.k1 = 9, .k2 = 100, .mean = {}}.choose(1000, 64, 64).local), 25);
}

TEST(SparqChoice, IsDenseWithoutComponentsOrKeys) {
  EXPECT_GE((SparqParams{.k1 = 0, .k2 = 10, .mean = {}}.choose(1000, 64, 64).k2), 1000);
  EXPECT_GE((SparqParams{.k1 = 8, .k2 = 0, .mean = {}}.choose(1000, 64, 64).k2), 1000);
  EXPECT_FALSE((SparqParams{.k1 = 0, .k2 = 10, .mean = {}}.on()));
  EXPECT_FALSE((SparqParams{.k1 = 8, .k2 = 0, .mean = {}}.on()));
  EXPECT_TRUE((SparqParams{.k1 = 8, .k2 = 10, .mean = {}}.on()));
  EXPECT_TRUE((SparqParams{.ratio = 2, .mean = {}}.on()));
}

TEST(SparqMean, StandsInByDefaultWhereEachQueryHeadHasItsKvHead) {
  EXPECT_TRUE(SparqParams{.mean = {}}.uses_mean(1));
  EXPECT_FALSE(SparqParams{.mean = {}}.uses_mean(4));
  EXPECT_TRUE(SparqParams{.mean = true}.uses_mean(4));
  EXPECT_FALSE(SparqParams{.mean = false}.uses_mean(1));
}

void expect_refused(const SparqParams& params, const char* name) {
  const Error e = test::error_of([&] { params.check(); });
  EXPECT_EQ(e.code(), Errc::kBadInput) << name;
  EXPECT_EQ(std::string(e.what()).find(name), 0u) << e.what();
}

TEST(SparqCheck, NamesWhatIsOutOfRange) {
  expect_refused({.k1 = -1, .mean = {}}, "cache.sparq.k1");
  expect_refused({.k2 = -1, .mean = {}}, "cache.sparq.k2");
  expect_refused({.local = -2, .mean = {}}, "cache.sparq.local");
  for (const double ratio : {0.5, -1.0, 1025.0, std::nan(""), std::numeric_limits<double>::infinity()})
    expect_refused({.ratio = ratio, .mean = {}}, "cache.sparq.ratio");
  for (const char* index : {"", "q8_0", "INT8"}) expect_refused({.mean = {}, .index = index}, "cache.sparq.index");
}

TEST(SparqCheck, AcceptsWhatIsInRange) {
  for (const char* index : {"int8", "f16", "none"})
    SparqParams{.k1 = 1 << 20, .k2 = 1 << 20, .ratio = 1024, .local = 1 << 20, .mean = true, .index = index}.check();
  SparqParams{.mean = {}}.check();
}

}  // namespace
}  // namespace skald
