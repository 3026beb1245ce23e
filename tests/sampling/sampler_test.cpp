// The sampler as a whole: greedy choice, seeds, frequencies, and parameters out of range.
#include "sampling/sampler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "sampling/filters/top_k.h"

#include "tests/support/errors.h"

namespace skald::sampler_test {
namespace {

using testing::HasSubstr;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

// Nothing but the temperature.
SamplingParams plain(float temperature, uint64_t seed) {
  return {.temperature = temperature, .top_k = 0, .top_p = 1, .min_p = 0, .seed = seed};
}

std::vector<TokenId> draw(const SamplingParams& params, const std::vector<float>& logits, int n) {
  Sampler sampler(params);
  std::vector<TokenId> out;
  for (int i = 0; i < n; ++i) out.push_back(sampler.pick(logits));
  return out;
}

std::vector<int> counts(const SamplingParams& params, const std::vector<float>& logits, int n) {
  std::vector<int> out(logits.size());
  for (const TokenId id : draw(params, logits, n)) ++out[static_cast<size_t>(id)];
  return out;
}

TEST(Greedy, PicksTheMostLikelyAndTheLowestIdOfTies) {
  EXPECT_EQ(argmax(std::vector{1.0f, 3.0f, 2.0f}), 1);
  EXPECT_EQ(argmax(std::vector{1.0f, 3.0f, 3.0f, 3.0f}), 1);
  EXPECT_EQ(argmax(std::vector{0.0f, -0.0f}), 0);
  EXPECT_EQ(argmax(std::vector{-0.0f, 0.0f}), 0);
}

TEST(Greedy, NeverPicksNanBesideANumber) {
  EXPECT_EQ(argmax(std::vector{kNan, -kInf, kNan, 1.0f, kNan}), 3);
  EXPECT_EQ(argmax(std::vector{kNan, -kInf}), 1);
  EXPECT_EQ(argmax(std::vector{kNan, kNan}), 0);
}

TEST(Greedy, IsWhatTemperatureZeroDoesWithOrWithoutPenalties) {
  const std::vector<float> logits = {0, 2, 1, 2};
  EXPECT_EQ(draw({.temperature = 0}, logits, 1)[0], 1);
  EXPECT_EQ(draw({.temperature = 0, .repeat_penalty = 2}, logits, 1)[0], 1);
}

TEST(Sampler, NeverPicksNanOrWhatCannotBe) {
  const std::vector<int> n = counts(plain(1, 1), {kNan, 0, -kInf, 0, kNan}, 200);
  EXPECT_EQ(n[0] + n[2] + n[4], 0);
  EXPECT_GT(n[1], 0);
  EXPECT_GT(n[3], 0);
}

TEST(Sampler, PicksSomethingWhenEveryLogitIsNanOrInfinite) {
  for (const float x : {kNan, kInf, -kInf})
    for (const TokenId id : draw({.temperature = 1, .seed = 1}, {x, x, x}, 20)) EXPECT_TRUE(id >= 0 && id < 3) << x;
}

TEST(Sampler, DoesNotChangeTheLogits) {
  std::vector<float> logits = {3, 1, 2};
  SamplingParams params{.temperature = 1, .repeat_penalty = 2, .seed = 1};
  Sampler sampler(params);
  sampler.accept(0);
  sampler.pick(logits);
  EXPECT_EQ(logits, (std::vector<float>{3, 1, 2}));
}

TEST(Seed, EqualOnesGiveEqualSequencesAndOthersDoNot) {
  const std::vector<float> logits(1000, 0.0f);
  EXPECT_EQ(draw(plain(1, 5), logits, 64), draw(plain(1, 5), logits, 64));
  EXPECT_NE(draw(plain(1, 5), logits, 64), draw(plain(1, 6), logits, 64));
}

TEST(Seed, RandomOnesDifferAndCanBeReadBackToRepeatTheSequence) {
  const std::vector<float> logits(1000, 0.0f);
  Sampler a(plain(1, SamplingParams::kRandomSeed)), b(plain(1, SamplingParams::kRandomSeed));
  EXPECT_NE(a.seed(), SamplingParams::kRandomSeed);
  EXPECT_NE(a.seed(), b.seed());
  std::vector<TokenId> got;
  for (int i = 0; i < 32; ++i) got.push_back(a.pick(logits));
  EXPECT_EQ(got, draw(plain(1, a.seed()), logits, 32));
}

// Pearson's statistic against the softmax at the temperature; 24.3 is what a fair sampler exceeds once in a thousand times
// with seven degrees of freedom.
TEST(Sampler, DrawsTokensAsOftenAsTheSoftmaxSays) {
  const std::vector<float> logits = {1.5f, 1, 0.5f, 0, -0.5f, -1, 0.25f, 2};
  constexpr int kDraws = 20000;
  for (const float temperature : {0.7f, 1.0f, 2.0f}) {
    std::vector<double> want;
    double sum = 0;
    for (const float x : logits) sum += want.emplace_back(std::exp(x / temperature));
    const std::vector<int> got = counts(plain(temperature, 7), logits, kDraws);
    double chi2 = 0;
    for (size_t i = 0; i < want.size(); ++i) {
      const double expected = want[i] / sum * kDraws;
      chi2 += (got[i] - expected) * (got[i] - expected) / expected;
    }
    EXPECT_LT(chi2, 24.3) << "temperature " << temperature;
    EXPECT_GT(chi2, 0.6) << "too even to be random, temperature " << temperature;
  }
}

TEST(Sampler, RenormalisesOverTheTokensThatTheFiltersLeave) {
  SamplingParams params = plain(1, 3);
  params.top_k = 2;
  const float third = std::log(3.0f);  // three times as likely as the next
  const std::vector<int> got = counts(params, {0, third, -1, -2}, 8000);
  EXPECT_EQ(got[2] + got[3], 0);
  EXPECT_NEAR(got[1], 6000, 200);  // five standard deviations
}

TEST(Sampler, AppliesTopPAndMinPBeforeTheTemperature) {
  SamplingParams params = plain(100, 3);  // so hot that all tokens are equally likely, but the filters do not see that
  const std::vector<float> logits = {std::log(0.6f), std::log(0.3f), std::log(0.07f), std::log(0.03f)};
  params.top_p = 0.8f;
  std::vector<int> got = counts(params, logits, 1000);
  EXPECT_EQ(got[2] + got[3], 0);
  EXPECT_NEAR(got[0], 500, 80);
  params.top_p = 1;
  params.min_p = 0.1f;
  got = counts(params, logits, 1000);
  EXPECT_EQ(got[3], 0);
  EXPECT_GT(got[2], 250);
}

TEST(SamplingParams, OutOfRangeAreErrorsThatNameTheParameter) {
  struct Case {
    const char* name;
    SamplingParams params;
  };
  const std::vector<Case> cases = {
      {"sampling.temperature", {.temperature = -0.1f}},
      {"sampling.temperature", {.temperature = kNan}},
      {"sampling.temperature", {.temperature = kInf}},
      {"sampling.top_k", {.top_k = -1}},
      {"sampling.top_p", {.top_p = -0.1f}},
      {"sampling.top_p", {.top_p = 1.1f}},
      {"sampling.top_p", {.top_p = kNan}},
      {"sampling.min_p", {.min_p = -0.1f}},
      {"sampling.min_p", {.min_p = 1.1f}},
      {"sampling.min_p", {.min_p = kNan}},
      {"sampling.repeat_penalty", {.repeat_penalty = 0}},
      {"sampling.repeat_penalty", {.repeat_penalty = kInf}},
      {"sampling.repeat_penalty", {.repeat_penalty = kNan}},
      {"sampling.presence_penalty", {.presence_penalty = kNan}},
      {"sampling.frequency_penalty", {.frequency_penalty = kInf}},
      {"sampling.repeat_last_n", {.repeat_last_n = -2}},
  };
  for (const Case& c : cases) {
    const Error e = test::error_of([&] { Sampler sampler(c.params); });
    EXPECT_EQ(e.code(), Errc::kBadInput) << c.name;
    EXPECT_THAT(e.what(), HasSubstr(c.name));
  }
}

TEST(SamplingParams, AtTheEndsOfTheirRangesAreFine) {
  SamplingParams params{.temperature = 0, .top_k = 0, .top_p = 0, .min_p = 0, .repeat_last_n = -1};
  EXPECT_NO_THROW(params.check());
  params = {.temperature = 1e6f, .top_k = 1 << 30, .top_p = 1, .min_p = 1, .repeat_penalty = 1e-3f, .repeat_last_n = 0};
  EXPECT_NO_THROW(params.check());
}

TEST(Sampler, NeverChoosesABannedToken) {
  const std::vector<float> logits = {9, 8, 1, 7};
  for (const float temperature : {0.0f, 1.0f})
    for (const int top_k : {0, 3}) {
      Sampler sampler({.temperature = temperature, .top_k = top_k, .seed = 3});
      sampler.ban({0, 3, 17});
      for (int i = 0; i < 50; ++i) {
        const TokenId token = sampler.pick(logits);
        EXPECT_TRUE(token == 1 || token == 2) << token;
      }
    }
}

}  // namespace
}  // namespace skald::sampler_test
