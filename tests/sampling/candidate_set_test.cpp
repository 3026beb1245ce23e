// Cuts of many tokens, which sort almost none of them, against sorting all in double precision; and edits.
#include "sampling/candidate_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "base/rng.h"
#include "sampling/most_likely.h"
#include "sampling/softmax.h"

#include "tests/support/errors.h"

namespace skald::candidate_set_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

// Of about unit variance, times `spread`.
std::vector<float> random_logits(size_t n, float spread, uint64_t seed) {
  Rng rng(seed);
  std::vector<float> out(n);
  for (float& x : out) {
    double sum = 0;
    for (int i = 0; i < 4; ++i) sum += rng.uniform() - 0.5;
    x = static_cast<float>(sum * 1.7) * spread;
  }
  return out;
}

/// All of the order from the most likely on, in double.
struct Plain {
  std::vector<TokenId> ids;
  std::vector<double> shares;
  double entropy = 0;

  Plain(const std::vector<float>& logits, double scale) {
    for (size_t i = 0; i < logits.size(); ++i)
      if (logits[i] != -kInf) ids.push_back(static_cast<TokenId>(i));
    const auto x = [&](TokenId id) { return static_cast<double>(logits[static_cast<size_t>(id)]); };
    std::ranges::sort(ids, [&](TokenId a, TokenId b) { return x(a) != x(b) ? x(a) > x(b) : a < b; });
    double sum = 0;
    for (const TokenId id : ids) sum += shares.emplace_back(std::exp((x(id) - x(ids[0])) * scale));
    for (double& p : shares) {
      p /= sum;
      if (p > 0) entropy -= p * std::log(p);
    }
  }
};

std::vector<TokenId> kept(const CandidateSet& set) {
  std::vector<TokenId> out;
  for (const Candidate& c : set.best_of(set.size())) out.push_back(c.id);
  return out;
}

struct Case {
  size_t n;
  float spread;
  double scale;
};
constexpr Case kCases[] = {{5000, 0.01F, 1}, {5000, 3, 1}, {60000, 1, 0.5}, {60000, 4, 1.3}, {60000, 30, 1}};

void for_cases(const std::function<void(CandidateSet&, const Plain&)>& fn) {
  for (const Case& c : kCases)
    for (const float step : {0.0F, 0.5F}) {
      SCOPED_TRACE(testing::Message() << c.n << " logits, spread " << c.spread << ", scale " << c.scale << ", step "
                                      << step);
      std::vector<float> logits = random_logits(c.n, c.spread, 7);
      for (float& x : logits)
        if (step > 0) x = std::round(x / step) * step;
      for (size_t i = 3; i < c.n; i += 11) logits[i] = -kInf;
      CandidateSet set;
      set.reset(logits);
      set.scale(c.scale);
      fn(set, Plain(logits, c.scale));
    }
}

TEST(KeepBest, KeepsTheMostLikelyAndOfTiesTheLowerIds) {
  for (const size_t k : {size_t{1}, size_t{40}, size_t{2500}, size_t{4000}})
    for_cases([&](CandidateSet& set, const Plain& plain) {
      set.keep_best(k);
      EXPECT_EQ(kept(set), std::vector(plain.ids.begin(), plain.ids.begin() + static_cast<std::ptrdiff_t>(k)));
    });
}

TEST(DropBest, LeavesTheRest) {
  for (const size_t k : {size_t{1}, size_t{100}, size_t{3000}, size_t{4500}})
    for_cases([&](CandidateSet& set, const Plain& plain) {
      set.drop_best(k);
      EXPECT_EQ(kept(set), std::vector(plain.ids.begin() + static_cast<std::ptrdiff_t>(k), plain.ids.end()));
      EXPECT_GT(set.log_total(), set.best()) << "probabilities are of what is left";
    });
}

TEST(KeepMass, KeepsTheShortestBeginningThatReachesTheShare) {
  for (const double share : {0.0, 0.3, 0.9, 0.9999})
    for_cases([&](CandidateSet& set, const Plain& plain) {
      set.keep_mass(share);
      const std::vector<TokenId> got = kept(set);
      ASSERT_EQ(got, std::vector(plain.ids.begin(), plain.ids.begin() + std::ssize(got)));
      const double sum = std::accumulate(plain.shares.begin(), plain.shares.begin() + std::ssize(got), 0.0);
      EXPECT_GE(sum, share - 1e-6);
      EXPECT_LT(sum - plain.shares[got.size() - 1], share + 1e-6);
    });
}

TEST(KeepMass, KeepsNoFewerTokensThanAreWanted) {
  for (const size_t least : {size_t{1}, size_t{3}, size_t{700}, size_t{4000}, size_t{100000}})
    for_cases([&](CandidateSet& set, const Plain& plain) {
      set.keep_mass(0, least);
      const size_t n = std::min(least, plain.ids.size());
      EXPECT_EQ(kept(set), std::vector(plain.ids.begin(), plain.ids.begin() + static_cast<std::ptrdiff_t>(n)));
    });
  for_cases([&](CandidateSet& set, const Plain& plain) {
    set.keep_mass(0.9, 2);
    const double sum = std::accumulate(plain.shares.begin(), plain.shares.begin() + std::ssize(kept(set)), 0.0);
    EXPECT_GE(sum, 0.9 - 1e-6) << "a share that has more tokens";
  });
}

// Tokens that stand by turns, so that one in N tokens says nothing of the others.
TEST(KeepMass, KeepsTheSameWhereverTheLikelyTokensStand) {
  constexpr size_t kTokens = 60000;
  const std::vector<float> random = random_logits(kTokens, 2, 5);
  for (const size_t turn : {size_t{8}, size_t{64}, size_t{120}, size_t{232}, size_t{256}, kTokens})
    for (const float gap : {0.5F, 4.0F, 12.0F})
      for (const double share : {0.1, 0.6, 0.97}) {
        SCOPED_TRACE(testing::Message() << "turn " << turn << ", gap " << gap << ", share " << share);
        std::vector<float> logits = random;
        for (size_t i = 0; i < kTokens; ++i) logits[i] += i % turn < 8 ? gap : 0;
        const Plain plain(logits, 1);
        CandidateSet set;
        set.reset(logits);
        set.keep_mass(share);
        const std::vector<TokenId> got = kept(set);
        ASSERT_EQ(got, std::vector(plain.ids.begin(), plain.ids.begin() + std::ssize(got)));
        const double sum = std::accumulate(plain.shares.begin(), plain.shares.begin() + std::ssize(got), 0.0);
        EXPECT_GE(sum, share - 1e-6);
        EXPECT_LT(sum - plain.shares[got.size() - 1], share + 1e-6);
      }
}

// The sum of the probabilities of the kept tokens, which must be nearest to the expected surprise.
double share_of_nearest(const CandidateSet& set, const Plain& plain) {
  const std::vector<TokenId> got = kept(set);
  double sum = 0, farthest = 0, nearest_left_out = 1e9;
  for (size_t i = 0, at = 0; i < plain.ids.size(); ++i) {
    const double far = std::abs(-std::log(std::max(plain.shares[i], 1e-300)) - plain.entropy);
    const bool in = at < got.size() && got[at] == plain.ids[i];
    if (in) ++at;
    if (in) sum += plain.shares[i];
    (in ? farthest : nearest_left_out) = in ? std::max(farthest, far) : std::min(nearest_left_out, far);
  }
  EXPECT_LE(farthest, nearest_left_out + 1e-4);
  return sum;
}

TEST(KeepTypical, KeepsTheTokensNearestToTheExpectedSurpriseUntilTheirSumExceedsTheShare) {
  for (const double share : {0.05, 0.5, 0.95})
    for_cases([&](CandidateSet& set, const Plain& plain) {
      EXPECT_NEAR(set.entropy(), plain.entropy, 1e-5 * (1 + plain.entropy));
      set.keep_typical(share);
      EXPECT_GT(share_of_nearest(set, plain), share - 1e-6);
    });
}

TEST(KeepTypical, KeepsNoFewerTokensThanAreWanted) {
  for (const size_t least : {size_t{1}, size_t{3}, size_t{700}, size_t{100000}})
    for_cases([&](CandidateSet& set, const Plain& plain) {
      set.keep_typical(0, least);
      EXPECT_EQ(set.size(), std::min(least, plain.ids.size()));
      share_of_nearest(set, plain);
    });
}

TEST(KeepAtLeast, ComparesWithTheScaledLogits) {
  for_cases([&](CandidateSet& set, const Plain& plain) {
    const double best = set.best(), p = 0.05;
    set.keep_at_least(best + std::log(p));
    const auto end =
        std::ranges::find_if(plain.shares, [&](double share) { return share < p * plain.shares[0] * (1 - 1e-12); });
    EXPECT_EQ(std::ssize(kept(set)), end - plain.shares.begin());
  });
}

TEST(Draw, FallsOnTokensAsOftenAsTheirProbabilitiesSay) {
  for_cases([&](CandidateSet& set, const Plain& plain) {
    constexpr int kDraws = 4000;
    std::vector<size_t> place(kCases[2].n, plain.ids.size());
    for (size_t i = 0; i < plain.ids.size(); ++i) place[static_cast<size_t>(plain.ids[i])] = i;
    double expected = 0;  // of the drawn token's place in the order, as a share of all
    for (size_t i = 0; i < plain.ids.size(); ++i) expected += plain.shares[i] * static_cast<double>(i);
    double sum = 0;
    for (int i = 0; i < kDraws; ++i) {
      const size_t at = place[static_cast<size_t>(set.draw((i + 0.5) / kDraws))];
      ASSERT_LT(at, plain.ids.size());
      sum += static_cast<double>(at);
    }
    EXPECT_NEAR(sum / kDraws, expected, 0.05 * static_cast<double>(plain.ids.size()) + 0.02);
  });
}

TEST(Draw, AfterALogitChangedFallsOnTokensByTheNewOnes) {
  std::vector<float> logits(5000, -60);
  CandidateSet set;
  set.reset(logits);
  set.keep_mass(0.99);  // weighs the tokens
  const TokenId one = kept(set)[17], other = kept(set)[1000];
  set.set(one, -50, "");
  set.drop(other);
  set.set(one, -60 + std::log(3.0 * static_cast<double>(set.size() - 1)), "");
  int ones = 0;
  constexpr int kDraws = 1000;
  for (int i = 0; i < kDraws; ++i) {
    const TokenId id = set.draw((i + 0.5) / kDraws);
    ASSERT_NE(id, other);
    ones += id == one;
  }
  EXPECT_NEAR(ones, 0.75 * kDraws, 60);
}

TEST(Draw, GoesThroughAllTokensInOneOrder) {
  CandidateSet set;
  const std::vector<float> logits = {0, std::log(2.0F), -kInf, 0};
  set.reset(logits);
  EXPECT_EQ(set.draw(0), 1);
  EXPECT_EQ(set.draw(0.49), 1);
  EXPECT_EQ(set.draw(0.51), 0);
  EXPECT_EQ(set.draw(0.76), 3);
  EXPECT_EQ(set.draw(0.9999999999999999), 3);
}

TEST(Set, ChangesOneTokenAndTheProbabilitiesOfAll) {
  for_cases([&](CandidateSet& set, const Plain& plain) {
    set.keep_mass(0.999999);  // weighs the tokens
    const TokenId first = plain.ids[0], second = plain.ids[1];
    set.set(first, set.best() - 1000, "");
    EXPECT_EQ(kept(set)[0], second);
    set.set(second, 900, "");
    EXPECT_NEAR(set.best(), 900, 1e-4);
    EXPECT_NEAR(set.log_total(), 900, 1e-3);
    set.drop(second);
    EXPECT_EQ(set.logit(second), std::nullopt);
    EXPECT_LT(set.best(), 900);
  });
}

TEST(Set, OfAnOverflowNamesTheTokenAndOfAnUnderflowKeepsIt) {
  CandidateSet set;
  const std::vector<float> logits = {0, 1};
  set.reset(logits);
  const Error e = test::error_of([&] { set.set(1, 1e39, " with its bias"); });
  EXPECT_THAT(e.what(), HasSubstr("token 1: its logit is +inf with its bias"));
  set.set(1, -1e39, "");
  EXPECT_THAT(kept(set), ElementsAre(0, 1));
  set.set(1, -HUGE_VAL, "");
  EXPECT_THAT(kept(set), ElementsAre(0));
}

TEST(Reset, NamesTheTokenWhoseLogitIsNoNumberOrInfinite) {
  for (const auto& [bad, word] : {std::pair{kNan, "NaN"}, {kInf, "+inf"}})
    for (const size_t n : {size_t{3}, size_t{100}}) {
      std::vector<float> logits(n, 1.0F);
      logits[n - 1] = bad;
      CandidateSet set;
      const Error e = test::error_of([&] { set.reset(logits); });
      EXPECT_THAT(e.what(), HasSubstr("token " + std::to_string(n - 1) + ": its logit is " + word));
    }
}

TEST(Allow, LeavesTheTokensWhoseBitsAreSet) {
  std::vector<float> logits(70, 0.0F);
  logits[33] = -kInf;
  const std::vector<uint32_t> words = {1u << 3, 1u << 1 | 1u << 2};  // of 3, 33 and 34; none for tokens from 64 on
  CandidateSet set;
  set.reset(logits);
  set.allow(words);
  EXPECT_THAT(kept(set), ElementsAre(3, 34));
}

TEST(MostLikely, AreSortedWithNanLast) {
  std::vector<TokenId> out;
  most_likely(std::vector{1.0F, kNan, 3.0F, -kInf, 3.0F}, 9, out);
  EXPECT_THAT(out, ElementsAre(2, 4, 0, 3, 1));
  most_likely(std::vector{1.0F, kNan, 3.0F}, 1, out);
  EXPECT_THAT(out, ElementsAre(2));
}

TEST(Softmax, AgreesWithDoublePrecision) {
  for (const size_t n : {size_t{1}, size_t{7}, size_t{8}, size_t{1001}}) {
    const std::vector<float> logits = random_logits(n, 5, n);
    const Plain plain(logits, 1);
    std::vector<float> got;
    softmax(logits, got);
    for (size_t i = 0; i < n; ++i)
      EXPECT_NEAR(got[static_cast<size_t>(plain.ids[i])], plain.shares[i], 1e-6 * plain.shares[i] + 1e-12);
  }
}

}  // namespace
}  // namespace skald::candidate_set_test
