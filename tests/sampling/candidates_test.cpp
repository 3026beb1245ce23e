// The filters one by one, against numbers worked out by hand.
#include "sampling/candidates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sampling/filters/min_p.h"
#include "sampling/filters/top_k.h"
#include "sampling/filters/top_p.h"

namespace skald {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

std::vector<Candidate> of(std::initializer_list<float> logits) {
  std::vector<Candidate> out;
  for (const float x : logits) out.push_back({static_cast<TokenId>(out.size()), x});
  return out;
}

std::vector<TokenId> ids(const std::vector<Candidate>& candidates) {
  std::vector<TokenId> out;
  for (const Candidate& c : candidates) out.push_back(c.id);
  return out;
}

// Logits of these probabilities, sorted and numbered from 0.
std::vector<Candidate> with_probabilities(std::initializer_list<double> shares) {
  std::vector<Candidate> out;
  for (const double p : shares) out.push_back({static_cast<TokenId>(out.size()), static_cast<float>(std::log(p) + 3)});
  return out;
}

TEST(MoreLikely, OrdersByLogitThenByLowerId) {
  EXPECT_TRUE(more_likely({7, 2.0f}, {1, 1.0f}));
  EXPECT_FALSE(more_likely({1, 1.0f}, {7, 2.0f}));
  EXPECT_TRUE(more_likely({1, 1.0f}, {7, 1.0f}));
  EXPECT_FALSE(more_likely({7, 1.0f}, {1, 1.0f}));
}

TEST(MoreLikely, PutsNanBelowMinusInfinityAndOrdersNansById) {
  EXPECT_TRUE(more_likely({9, -kInf}, {1, kNan}));
  EXPECT_FALSE(more_likely({1, kNan}, {9, -kInf}));
  EXPECT_TRUE(more_likely({1, kNan}, {2, kNan}));
  EXPECT_FALSE(more_likely({1, kNan}, {1, kNan}));
}

TEST(TopK, KeepsTheKMostLikelySorted) {
  std::vector<Candidate> c = of({0.5f, 3, -1, 2, 3});
  keep_top_k(c, 3);
  EXPECT_THAT(ids(c), ElementsAre(1, 4, 3));
}

TEST(TopK, OfZeroOrBeyondTheSizeSortsAll) {
  for (const int k : {0, 5, 1000}) {
    std::vector<Candidate> c = of({0.5f, kNan, -1, 2, 3});
    keep_top_k(c, k);
    EXPECT_THAT(ids(c), ElementsAre(4, 3, 0, 2, 1)) << k;
  }
}

TEST(TopP, KeepsTheShortestPrefixThatReachesP) {
  const std::vector<Candidate> all = with_probabilities({0.5, 0.25, 0.125, 0.125});
  for (const auto& [p, want] : {std::pair{0.0f, 1}, {0.4f, 1}, {0.6f, 2}, {0.8f, 3}, {0.9f, 4}, {1.0f, 4}}) {
    std::vector<Candidate> c = all;
    keep_top_p(c, p);
    EXPECT_EQ(c.size(), static_cast<size_t>(want)) << p;
  }
}

TEST(MinP, DropsWhatIsLessLikelyThanTheShareOfTheBest) {
  const std::vector<Candidate> all = with_probabilities({0.6, 0.2, 0.1, 0.1});
  for (const auto& [p, want] : {std::pair{0.0f, 4}, {0.1f, 4}, {0.2f, 2}, {0.3f, 2}, {0.4f, 1}, {1.0f, 1}}) {
    std::vector<Candidate> c = all;
    keep_min_p(c, p);
    EXPECT_EQ(c.size(), static_cast<size_t>(want)) << p;
  }
}

TEST(MinP, OfOneKeepsTokensThatTieWithTheBest) {
  std::vector<Candidate> c = of({2, 2, 1});
  keep_min_p(c, 1);
  EXPECT_THAT(ids(c), ElementsAre(0, 1));
}

TEST(Filters, KeepOneCandidateWhateverTheLogits) {
  for (const float x : {kNan, kInf, -kInf}) {
    std::vector<Candidate> c = of({x, x});
    keep_top_k(c, 0);
    keep_top_p(c, 0.0f);
    keep_min_p(c, 1.0f);
    EXPECT_THAT(ids(c), ElementsAre(0)) << x;
  }
}

TEST(Probabilities, AreTheSoftmaxAtTheTemperature) {
  const std::vector<Candidate> c = of({2, 1, 0});
  const std::vector<double> cool = probabilities(c, 0.5f);  // exp(0), exp(-2), exp(-4) over their sum
  const double sum = 1 + std::exp(-2.0) + std::exp(-4.0);
  EXPECT_NEAR(cool[0], 1 / sum, 1e-12);
  EXPECT_NEAR(cool[1], std::exp(-2.0) / sum, 1e-12);
  EXPECT_NEAR(cool[2], std::exp(-4.0) / sum, 1e-12);
}

TEST(Probabilities, DoNotOverflowForHugeLogits) {
  const std::vector<double> p = probabilities(of({3e38f, 3e38f, -3e38f}), 0.01f);
  EXPECT_THAT(p, ElementsAre(0.5, 0.5, 0.0));
}

TEST(Probabilities, OfInfiniteLogitsGoToThoseAlone) {
  EXPECT_THAT(probabilities(of({kInf, kInf, 5, -kInf}), 1.0f), ElementsAre(0.5, 0.5, 0.0, 0.0));
  EXPECT_THAT(probabilities(of({5, -kInf}), 1.0f), ElementsAre(1.0, 0.0));
}

TEST(Probabilities, OfNanAreNothingBesideNumbersAndEqualAmongThemselves) {
  EXPECT_THAT(probabilities(of({1, kNan}), 1.0f), ElementsAre(1.0, 0.0));
  EXPECT_THAT(probabilities(of({kNan, kNan}), 1.0f), ElementsAre(0.5, 0.5));
  EXPECT_THAT(probabilities({}, 1.0f), IsEmpty());
}

}  // namespace
}  // namespace skald
