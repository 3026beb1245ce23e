// SparqParams: the choice by a ratio, which defaults there are, and which values are refused.
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

TEST(SparqMean, StandsInByDefaultButAsPublishedOnlyWhereEachQueryHeadHasItsKvHead) {
  SparqParams params;
  EXPECT_TRUE(params.uses_mean(1));
  EXPECT_TRUE(params.uses_mean(4));
  params.choice = SparqChoice::kMagnitude;
  EXPECT_TRUE(params.uses_mean(1));
  EXPECT_FALSE(params.uses_mean(4));
  EXPECT_TRUE(SparqParams{.mean = true}.uses_mean(4));
  EXPECT_FALSE(SparqParams{.mean = false}.uses_mean(1));
}

TEST(SparqMean, IsNoneOfWholePages) {
  SparqParams params;
  params.selector = KeySelection::kPages;
  EXPECT_FALSE(params.uses_mean(1));
}

SparqParams with_loss(double loss) {
  SparqParams params;
  params.loss = loss;
  return params;
}

double share_of(const SparqParams::Choice& c, int64_t n, int64_t d) {
  return static_cast<double>(n * c.k1 + c.k2 * 2 * d) / static_cast<double>(n * 2 * d);
}

// docs/long-context.md: a sixth at 8,192 keys, an eighth at 32,768.
TEST(SparqLoss, ReadsAsLittleAsWasMeasured) {
  EXPECT_LT(share_of(with_loss(0.01).choose(6144, 256, 256), 6144, 256), 1.0 / 6.4);
  EXPECT_LT(share_of(with_loss(0.01).choose(24576, 256, 256), 24576, 256), 1.0 / 8.1);
}

TEST(SparqLoss, ReadsLessForMoreLossAndOfMoreKeys) {
  double before = 1;
  for (const double loss : {0.001, 0.005, 0.01, 0.02, 0.1}) {
    const double share = share_of(with_loss(loss).choose(8192, 128, 128), 8192, 128);
    EXPECT_LT(share, before) << loss;
    before = share;
  }
  before = 1;
  for (const int64_t n : {2048, 4096, 8192, 16384, 32768}) {
    const double share = share_of(with_loss(0.01).choose(n, 128, 128), n, 128);
    EXPECT_LT(share, before) << n;
    before = share;
  }
}

// As many heads may ask for more keys.
TEST(SparqLoss, LetsHeadsKeepAQuarterOfTheKeys) {
  const SparqParams::Choice c = with_loss(0.01).choose(8192, 128, 128);
  EXPECT_EQ(c.most, 2048);
  EXPECT_LT(c.k2, c.most);
  EXPECT_EQ(c.local, c.k2 / 8);
}

TEST(SparqLoss, IsDenseBelowSomeNumberOfKeys) {
  const int64_t from = with_loss(0.01).sparse_from(128, 128).value();
  EXPECT_GT(from, 300);
  EXPECT_LT(from, 2048);
  EXPECT_EQ(with_loss(0.01).choose(from - 1, 128, 128).k2, from - 1);
}

SparqParams by_pages(KeySelection selector, double ratio) {
  SparqParams params;
  params.ratio = ratio;
  params.selector = selector;
  return params;
}

TEST(SparqPages, GiveKeptKeysWhatBoundsLeave) {
  const SparqParams::Choice c = by_pages(KeySelection::kPages, 8).choose(8192, 128, 128);
  EXPECT_EQ(c.k2, 8192 / 8 - 8192 / 64);  // bounds are two numbers of 64 for each component
}

TEST(SparqPages, LeaveScoresTwiceAsManyComponentsOfHalfOfTheKeys) {
  const SparqParams::Choice all = by_pages(KeySelection::kSparq, 8).choose(8192, 128, 128),
                            half = by_pages(KeySelection::kPagesThenSparq, 8).choose(8192, 128, 128);
  EXPECT_EQ(half.k2, all.k2);
  EXPECT_EQ(half.k1, (all.k1 - 4) * 2);  // 4: of the bounds of a key
  EXPECT_EQ(half.pages, 64);
}

void expect_refused(const SparqParams& params, const char* name) {
  const Error e = test::error_of([&] { params.check(); });
  EXPECT_EQ(e.code(), Errc::kBadInput) << name;
  EXPECT_EQ(std::string(e.what()).find(name), 0u) << e.what();
}

TEST(SparqCheck, NamesWhatIsOutOfRange) {
  expect_refused({.k1 = -1, .mean = {}}, "cache.sparq.k1");
  expect_refused({.k2 = -1, .mean = {}}, "cache.sparq.k2");
  expect_refused({.k1 = 8, .mean = {}}, "cache.sparq.k2");
  expect_refused({.k2 = 8, .mean = {}}, "cache.sparq.k1");
  expect_refused({.local = -2, .mean = {}}, "cache.sparq.local");
  for (const double ratio : {0.5, -1.0, 1025.0, std::nan(""), std::numeric_limits<double>::infinity()})
    expect_refused({.ratio = ratio, .mean = {}}, "cache.sparq.ratio");
  for (const char* index : {"", "q8_0", "INT8"}) expect_refused({.mean = {}, .index = index}, "cache.sparq.index");
}

TEST(SparqCheck, AcceptsWhatIsInRange) {
  for (const char* index : {"int8", "f16", "none"})
    SparqParams{.k1 = 1 << 20, .k2 = 1 << 20, .ratio = 1024, .local = 1 << 20, .mean = true, .index = index}.check();
  SparqParams{.k2 = 64, .mean = {}, .selector = KeySelection::kPages}.check();
  SparqParams{.mean = {}}.check();
}

}  // namespace
}  // namespace skald
