// SparqParams: the choice by a ratio, which defaults there are, and which values are refused.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "skald/sparq_params.h"
#include "tests/support/errors.h"

namespace skald {
namespace {

KeySize halves(int64_t d_k, int64_t d_v) { return {d_k, d_v}; }
KeySize halves(int64_t d) { return halves(d, d); }

SparqParams with_ratio(double ratio) { return {.ratio = ratio, .mean = {}}; }

/// Bytes that are read of those that dense attention reads.
double transfer(const SparqParams& params, int64_t n_keys, const KeySize& size) {
  const SparqParams::Choice c = params.choose(n_keys, size);
  if (c.k2 >= n_keys) return 1;
  const auto n = static_cast<double>(n_keys);
  return (n * static_cast<double>(c.k1) * size.component_bytes + static_cast<double>(c.k2) * size.bytes()) /
         (n * size.bytes());
}

// Of int4, a ratio of 2 has fewer components than half of its bytes could take.
TEST(SparqRatio, IsTheTransferOfWhatItChooses) {
  for (const double component : {0.625, 1.0625, 2.0})
    for (const double ratio : {3.0, 4.0, 8.0})
      for (const int64_t d : {64, 128, 256})
        for (const int64_t n : {4096, 8192, 16384, 131072}) {
          KeySize size = halves(d);
          size.component_bytes = component;
          const double want = 1 / ratio, got = transfer(with_ratio(ratio), n, size);
          EXPECT_NEAR(got, want, 0.04 * want) << component << ", " << ratio << " at " << n << " keys of " << d;
        }
}

TEST(SparqRatio, CountsWhatTheCacheTakes) {
  const KeySize small{128, 128, 34.0 / 32, 18.0 / 32};
  EXPECT_NEAR(transfer(with_ratio(8), 8192, small), 1 / 8.0, 0.005);
  EXPECT_LT(with_ratio(8).choose(8192, small).k1, with_ratio(8).choose(8192, halves(128)).k1);
}

TEST(SparqRatio, GivesScoresAndKeptKeysAboutHalfOfTheTransferEach) {
  for (const double ratio : {4.0, 8.0, 16.0})
    for (const int64_t d : {64, 128, 256})
      for (const int64_t n : {1024, 2048, 4096, 8192, 131072}) {
        const SparqParams::Choice c = with_ratio(ratio).choose(n, halves(d));
        if (c.k2 >= n) continue;
        const double scores = static_cast<double>(n * c.k1) * halves(d).component_bytes,
                     keys = static_cast<double>(c.k2) * halves(d).bytes();
        EXPECT_NEAR(scores / (scores + keys), 0.5, 0.15) << ratio << " at " << n << " keys of " << d;
      }
}

// Of a calibration's basis fewer components tell as much.
TEST(SparqRatio, GivesScoresInABasisLessOfTheSameTransfer) {
  for (const double ratio : {3.0, 4.0, 8.0})
    for (const int64_t n : {4096, 8192, 131072}) {
      KeySize size = halves(128), basis = size;
      basis.basis = true;
      const SparqParams::Choice usual = with_ratio(ratio).choose(n, size), fewer = with_ratio(ratio).choose(n, basis);
      EXPECT_LT(fewer.k1, usual.k1);
      EXPECT_GT(fewer.k2, usual.k2);
      EXPECT_NEAR(transfer(with_ratio(ratio), n, basis), 1 / ratio, 0.04 / ratio);
    }
}

TEST(SparqRatio, IsDenseForSequencesThatAreTooShort) {
  const SparqParams params{.ratio = 8, .mean = {}};
  for (const int64_t n : {1, 10, 128, 129, 1000, 1024, 1600}) EXPECT_GE(params.choose(n, halves(128)).k2, n) << n;
  EXPECT_LT(params.choose(2048, halves(128)).k2, 2048);
}

// Counted one by one, so that it also holds that no longer sequence is dense again.
TEST(SparqFrom, IsWhereNoRowReadsAllKeysAnyMore) {
  std::vector<SparqParams> all = {{.k1 = 8, .k2 = 1, .mean = {}}, {.k1 = 8, .k2 = 512, .mean = {}}};
  for (const double ratio : {1.0001, 1.01, 1.3, 1.5, 2.0, 3.0, 4.0, 7.5, 8.0, 16.0, 60.0})
    all.push_back({.ratio = ratio, .mean = {}});
  for (const SparqParams& params : all)
    for (const auto& [d_k, d_v] : {std::pair{64, 64}, {192, 128}, {16, 256}}) {
      const std::optional<int64_t> from = params.sparse_from(halves(d_k, d_v));
      ASSERT_TRUE(from) << params.ratio;
      for (int64_t n = 1; n < 20000; ++n)
        ASSERT_EQ(params.choose(n, halves(d_k, d_v)).k2 < n, n >= *from) << params.ratio << " at " << n;
    }
  EXPECT_EQ((SparqParams{.k1 = 8, .k2 = 512, .mean = {}}.sparse_from(halves(64))), 513);
  EXPECT_EQ((SparqParams{.ratio = 8, .mean = {}}.sparse_from(halves(64))), 1639);
}

TEST(SparqFrom, IsNowhereWithoutAnythingToSave) {
  EXPECT_FALSE((SparqParams{.ratio = 1, .mean = {}}.sparse_from(halves(64))));
  EXPECT_FALSE((SparqParams{.k1 = 0, .k2 = 8, .mean = {}}.sparse_from(halves(64))));
  EXPECT_FALSE(SparqParams{.mean = {}}.sparse_from(halves(64)));
}

TEST(SparqRatio, NeverChoosesMoreComponentsThanThereAre) {
  for (const double ratio : {1.0, 1.01, 1.5, 64.0, 1024.0})
    for (const int64_t n : {1, 200, 5000, 1 << 20}) {
      const SparqParams::Choice c = SparqParams{.ratio = ratio, .mean = {}}.choose(n, halves(64, 32));
      EXPECT_GE(c.k1, 1);
      EXPECT_LE(c.k1, 64);
      EXPECT_GE(c.k2, 1);
      EXPECT_LE(c.local, c.k2);
    }
}

TEST(SparqChoice, IsWhatWasAskedFor) {
  const SparqParams::Choice c = SparqParams{.k1 = 16, .k2 = 100, .local = 7, .mean = {}}.choose(1000, halves(64));
  EXPECT_EQ(c.k1, 16);
  EXPECT_EQ(c.k2, 100);
  EXPECT_EQ(c.local, 7);
}

TEST(SparqChoice, KeepsWithinWhatThereIs) {
  EXPECT_EQ((SparqParams{.k1 = 99, .k2 = 10, .mean = {}}.choose(1000, halves(64)).k1), 64);
  EXPECT_EQ((SparqParams{.k1 = 9, .k2 = 10, .local = 50, .mean = {}}.choose(1000, halves(64)).local), 10);
  EXPECT_EQ((SparqParams{.k1 = 9, .k2 = 100, .mean = {}}.choose(1000, halves(64)).local), 25);
}

TEST(SparqChoice, IsDenseWithoutComponentsOrKeys) {
  EXPECT_GE((SparqParams{.k1 = 0, .k2 = 10, .mean = {}}.choose(1000, halves(64)).k2), 1000);
  EXPECT_GE((SparqParams{.k1 = 8, .k2 = 0, .mean = {}}.choose(1000, halves(64)).k2), 1000);
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

// docs/long-context.md: a sixth at 8,192 keys, an eighth at 32,768.
TEST(SparqLoss, ReadsAsLittleAsWasMeasured) {
  EXPECT_LT(transfer(with_loss(0.01), 6144, halves(256)), 1.0 / 6.4);
  EXPECT_LT(transfer(with_loss(0.01), 24576, halves(256)), 1.0 / 8.1);
}

TEST(SparqLoss, ReadsLessForMoreLossAndOfMoreKeys) {
  double before = 1;
  for (const double loss : {0.001, 0.005, 0.01, 0.02, 0.1}) {
    const double share = transfer(with_loss(loss), 8192, halves(128));
    EXPECT_LT(share, before) << loss;
    before = share;
  }
  before = 1;
  for (const int64_t n : {2048, 4096, 8192, 16384, 32768}) {
    const double share = transfer(with_loss(0.01), n, halves(128));
    EXPECT_LT(share, before) << n;
    before = share;
  }
}

TEST(SparqLoss, ReadsLessByALargerScaleAndMoreByALargerShare) {
  const SparqParams params = with_loss(0.01);
  const auto read = [&](double scale, double share) {
    const SparqParams::Choice c = params.choose(8192, halves(128), {scale, share});
    return c.k1 * 8192 + 128 * c.k2;
  };
  EXPECT_LT(read(1.5, 1), read(1, 1));
  EXPECT_LT(read(1, 1), read(1, 2));
  EXPECT_LT(read(1, 0.5), read(1, 1));
  EXPECT_EQ(params.choose(8192, halves(128), {0.1, 1}).k2, 8192) << "nothing is to be saved";
}

TEST(SparqLoss, ReadsNoMoreForMoreLossAtAnyLengthAndScale) {
  for (const int64_t n : {300, 1000, 2048, 8192, 40000})
    for (const double scale : {0.2, 1.0, 4.0}) {
      double before = std::numeric_limits<double>::infinity();
      for (const double loss : {0.001, 0.005, 0.02, 0.05, 0.5}) {
        const KeySize size = halves(128);
        const SparqParams::Choice c = with_loss(loss).choose(n, size, {scale, 1});
        const double read =
            c.k2 >= n ? size.bytes() * static_cast<double>(n)
                      : size.component_bytes * static_cast<double>(c.k1 * n) + size.bytes() * static_cast<double>(c.k2);
        EXPECT_LE(read, before * 1.001) << n << " keys, " << loss << " nats, " << scale;
        before = read;
      }
    }
}

// A head of a small share keeps the fewest keys that are of use, instead of all.
TEST(SparqRatio, IsNoDenserForAHeadOfASmallShare) {
  const SparqParams params{.ratio = 8, .mean = {}};
  for (int64_t n = 2000; n < 2100; ++n) {
    const SparqParams::Choice all = params.choose(n, halves(128)), few = params.choose(n, halves(128), {1, 0.1});
    EXPECT_LE(few.k2, all.k2) << n;
    EXPECT_LT(few.k1, all.k1) << n;
  }
}

TEST(SparqLoss, IsDenseBelowSomeNumberOfKeys) {
  const int64_t from = with_loss(0.01).sparse_from(halves(128)).value();
  EXPECT_GT(from, 300);
  EXPECT_LT(from, 2048);
  EXPECT_EQ(with_loss(0.01).choose(from - 1, halves(128)).k2, from - 1);
}

SparqParams by_pages(KeySelection selector, double ratio) {
  SparqParams params;
  params.ratio = ratio;
  params.selector = selector;
  return params;
}

TEST(SparqPages, GiveKeptKeysWhatBoundsLeave) {
  const SparqParams::Choice c = by_pages(KeySelection::kPages, 8).choose(8192, halves(128));
  EXPECT_EQ(c.k2, 8192 / 8 - 8192 / 64);  // bounds are two numbers of 64 for each component
}

TEST(SparqPages, LeaveScoresTwiceAsManyComponentsOfHalfOfTheKeys) {
  const SparqParams::Choice all = by_pages(KeySelection::kSparq, 8).choose(8192, halves(128)),
                            half = by_pages(KeySelection::kPagesThenSparq, 8).choose(8192, halves(128));
  EXPECT_EQ(half.k2, all.k2);
  // Bounds take 8 bytes of a key, and a component 5/8. Both numbers of components are rounded.
  EXPECT_NEAR(static_cast<double>(half.k1), (static_cast<double>(all.k1) - 8 / 0.625) * 2, 1.5);
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
  for (const char* index : {"auto", "int4", "int8", "f16", "none"})
    SparqParams{.k1 = 1 << 20, .k2 = 1 << 20, .ratio = 1024, .local = 1 << 20, .mean = true, .index = index}.check();
  SparqParams{.k2 = 64, .mean = {}, .selector = KeySelection::kPages}.check();
  SparqParams{.mean = {}}.check();
}

}  // namespace
}  // namespace skald
