// The sampler as a whole: greedy choice, seeds, frequencies, and parameters out of range.
#include "sampling/sampler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "sampling/most_likely.h"

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

TEST(Sampler, NeverPicksWhatCannotBe) {
  const std::vector<int> n = counts(plain(1, 1), {-kInf, 0, -kInf, 0, -kInf}, 200);
  EXPECT_EQ(n[0] + n[2] + n[4], 0);
  EXPECT_GT(n[1], 0);
  EXPECT_GT(n[3], 0);
}

TEST(Sampler, RefusesLogitsThatAreNoNumbersOrInfiniteByTheTokensName) {
  for (const float x : {kNan, kInf})
    for (const float temperature : {0.0f, 1.0f}) {
      Sampler sampler(plain(temperature, 1));
      const Error e = test::error_of([&] { sampler.pick(std::vector{0.0f, 1.0f, x, 2.0f}); });
      EXPECT_EQ(e.code(), Errc::kBadInput);
      EXPECT_THAT(e.what(), HasSubstr("token 2"));
    }
}

TEST(Sampler, SaysSoWhereNoTokenIsLeft) {
  Sampler sampler(plain(1, 1));
  EXPECT_THAT(test::error_of([&] { sampler.pick(std::vector{-kInf, -kInf}); }).what(), HasSubstr("no candidate is left"));
  const std::vector<uint32_t> none = {0};
  const TokenMask mask(none);
  EXPECT_THAT(test::error_of([&] { sampler.pick(std::vector{1.0f, 2.0f}, &mask); }).what(), HasSubstr("no candidate"));
}

TEST(Sampler, PicksAllowedTokensOnlyWhateverTheChain) {
  const std::vector<float> logits = {9, 8, 1, 7, 0};
  const std::vector<uint32_t> words = {0b10100};
  const TokenMask mask(words);
  for (const float temperature : {0.0f, 1.0f})
    for (const int mirostat : {0, 1, 2}) {
      Sampler sampler({.temperature = temperature, .top_k = 3, .mirostat = mirostat, .seed = 3});
      for (int i = 0; i < 50; ++i) {
        const TokenId token = sampler.pick(logits, &mask);
        EXPECT_TRUE(token == 2 || token == 4) << token;
        sampler.accept(token);
      }
    }
}

TEST(Sampler, ACopyGoesOnAsTheOriginal) {
  std::vector<float> logits(3000);
  for (size_t i = 0; i < logits.size(); ++i) logits[i] = static_cast<float>(i * 37 % 101) * 0.05f;
  std::vector<SamplingParams> all = {{.top_k = 0, .repeat_penalty = 1.1f, .dry_multiplier = 1, .seed = 4},
                                     {.top_k = 0, .xtc_probability = 0.5f, .xtc_threshold = 0.001f, .seed = 4}};
  for (const int version : {1, 2}) all.push_back({.mirostat = version, .mirostat_lr = 0.5f, .mirostat_ent = 3, .seed = 4});
  all.push_back({.adaptive_target = 0.3f, .samplers = {"min_p", "adaptive_p"}, .seed = 4});
  for (const SamplingParams& params : all) {
    Sampler sampler(params);
    for (int i = 0; i < 5; ++i) sampler.accept(sampler.pick(logits));
    Sampler fork = sampler;
    for (int i = 0; i < 10; ++i) {
      const TokenId id = sampler.pick(logits);
      EXPECT_EQ(fork.pick(logits), id);
      sampler.accept(id);
      fork.accept(id);
    }
  }
}

TEST(Xtc, ExcludesTheTopChoicesAsOftenAsItsProbabilitySays) {
  SamplingParams params = plain(1, 11);
  params.xtc_probability = 0.25f;
  params.xtc_threshold = 0.2f;
  const std::vector<int> got = counts(params, {std::log(0.7f), std::log(0.3f)}, 8000);
  EXPECT_NEAR(got[0], 0.75 * 0.7 * 8000, 225);  // five standard deviations
}

TEST(Samplers, ActInTheOrderGiven) {
  const std::vector<float> logits = {std::log(0.6f), std::log(0.3f), std::log(0.1f)};
  SamplingParams params = plain(0.1f, 1);
  params.top_p = 0.9f;
  params.samplers = {"temperature", "top_p"};  // so cold that the first has 99.9 %
  Sampler cold(params);
  EXPECT_EQ(cold.narrow(logits).size(), 1u);
  params.samplers = {"top_p", "temperature"};
  Sampler late(params);
  EXPECT_EQ(late.narrow(logits).size(), 2u);
  params.samplers = {};
  Sampler none(params);
  EXPECT_EQ(none.narrow(logits).size(), 3u);
}

TEST(Samplers, ActAsOftenAsTheyAreNamed) {
  SamplingParams params = plain(2, 1);
  params.samplers = {"temperature", "temperature"};
  Sampler sampler(params);
  const std::vector<float> logits = {8, 4};
  const CandidateSet& tokens = sampler.narrow(logits);
  EXPECT_NEAR(*tokens.logit(0) - *tokens.logit(1), 1, 1e-6);
}

TEST(Samplers, OfExtremeTemperaturesLeaveProbabilitiesThatAreNumbers) {
  std::vector<float> logits(5000, 1.0f);
  logits[7] = 2;
  for (const float temperature : {1e-38f, 1e-20f, 1e38f}) {
    SamplingParams params = plain(temperature, 1);
    params.samplers = {"temperature", "temperature", "temperature", "top_p"};
    params.top_p = 0.5f;
    Sampler sampler(params);
    const CandidateSet& tokens = sampler.narrow(logits);
    EXPECT_EQ(tokens.size(), temperature < 1 ? 1u : 2500u) << temperature;
    EXPECT_EQ(tokens.best_of(1)[0].id, 7) << temperature;
  }
}

TEST(Samplers, HaveLlamaCppsOtherNamesAndLetters) {
  using List = std::vector<std::string>;
  EXPECT_EQ(SamplingParams::parse_samplers("top-k; typical;temp"), (List{"top_k", "typ_p", "temperature"}));
  EXPECT_EQ(SamplingParams::parse_samplers("min_p,,xtc"), (List{"min_p", "", "xtc"}));
  EXPECT_EQ(SamplingParams::parse_samplers(""), List{});
  EXPECT_EQ(SamplingParams::parse_sampler_letters("edskypmxt"), SamplingParams::default_samplers());
  EXPECT_THAT(test::error_of([] { SamplingParams::parse_sampler_letters("kq"); }).what(), HasSubstr("'q'"));
}

TEST(DryBreakers, EndRepetitionsThatTheyCross) {
  const std::vector<float> logits(8, 0.0f);
  SamplingParams params = plain(1, 1);
  params.dry_multiplier = 1;
  const auto penalty = [&](std::vector<std::vector<TokenId>> breakers) {
    params.dry_breakers = std::move(breakers);
    Sampler sampler(params);
    for (const TokenId id : {1, 2, 3, 4, 7, 1, 2, 3}) sampler.accept(id);
    return -*sampler.narrow(logits).logit(4);
  };
  EXPECT_NEAR(penalty({}), 1.75, 1e-6);        // three tokens repeat, one more than is allowed
  EXPECT_NEAR(penalty({{1}}), 1, 1e-6);        // two of them stand after the breaker
  EXPECT_EQ(penalty({{2}}), 0);                // one
  EXPECT_EQ(penalty({{1, 2}}), 0);             // one after both of its tokens
  EXPECT_NEAR(penalty({{1, 3}}), 1.75, 1e-6);  // does not occur
  EXPECT_EQ(penalty({{4}}), 0);                // breakers themselves are never penalised
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

// Pearson's statistic against the softmax at the temperature; a fair sampler exceeds 24.3 once in a thousand times with
// seven degrees of freedom.
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

TEST(Sampler, LeavesAsManyTokensAsMinKeepSays) {
  const std::vector<float> logits = {std::log(0.6f), std::log(0.3f), std::log(0.07f), std::log(0.03f)};
  const auto left = [&](SamplingParams params, int min_keep) {
    params.min_keep = min_keep;
    Sampler sampler(params);
    return sampler.narrow(logits).size();
  };
  const SamplingParams none = plain(1, 1);
  SamplingParams top_p = none, min_p = none, typical = none, xtc = none;
  top_p.top_p = 0.5f;
  min_p.min_p = 0.9f;
  typical.typical_p = 0.01f;
  for (const SamplingParams& params : {top_p, min_p, typical}) {
    EXPECT_EQ(left(params, 0), 1u);
    EXPECT_EQ(left(params, 3), 3u);
    EXPECT_EQ(left(params, 10), 4u);
  }
  xtc.xtc_probability = 1;
  xtc.xtc_threshold = 0.05f;
  EXPECT_EQ(left(xtc, 2), 2u);
  EXPECT_EQ(left(xtc, 3), 4u) << "none is dropped where fewer would be left";
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
      {"sampling.min_keep", {.min_keep = -1}},
      {"sampling.repeat_penalty", {.repeat_penalty = 0}},
      {"sampling.repeat_penalty", {.repeat_penalty = kInf}},
      {"sampling.repeat_penalty", {.repeat_penalty = kNan}},
      {"sampling.presence_penalty", {.presence_penalty = kNan}},
      {"sampling.frequency_penalty", {.frequency_penalty = kInf}},
      {"sampling.repeat_last_n", {.repeat_last_n = -2}},
      {"sampling.dynatemp_range", {.dynatemp_range = -1}},
      {"sampling.dynatemp_exponent", {.dynatemp_exponent = kNan}},
      {"sampling.typical_p", {.typical_p = 1.5f}},
      {"sampling.top_n_sigma", {.top_n_sigma = kNan}},
      {"sampling.xtc_probability", {.xtc_probability = 7}},
      {"sampling.xtc_threshold", {.xtc_threshold = -0.1f}},
      {"sampling.dry_multiplier", {.dry_multiplier = kInf}},
      {"sampling.dry_base", {.dry_base = kNan}},
      {"sampling.dry_allowed_length", {.dry_allowed_length = -1}},
      {"sampling.dry_penalty_last_n", {.dry_penalty_last_n = -2}},
      {"sampling.dry_breakers", {.dry_breakers = {{}}}},
      {"sampling.mirostat", {.mirostat = 3}},
      {"sampling.mirostat_lr", {.mirostat_lr = -1}},
      {"sampling.mirostat_ent", {.mirostat_ent = kInf}},
      {"sampling.adaptive_target", {.adaptive_target = 1.5f}},
      {"sampling.adaptive_decay", {.adaptive_decay = 2}},
      {"sampling.logit_bias", {.logit_bias = {{3, kNan}}}},
      {"sampling.logit_bias", {.logit_bias = {{3, kInf}}}},
      {"sampling.samplers: there is no sampler 'nosuch'", {.samplers = {"top_k", "nosuch"}}},
      {"sampling.samplers", {.samplers = std::vector<std::string>(65, "top_k")}},
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

TEST(SamplingParams, WithIdsOutsideTheVocabularyNameThem) {
  for (const SamplingParams& params : {SamplingParams{.logit_bias = {{99, 1}}}, SamplingParams{.dry_breakers = {{1, 99}}}}) {
    EXPECT_NO_THROW(params.check(100));
    EXPECT_THAT(test::error_of([&] { params.check(99); }).what(), HasSubstr("token 99"));
  }
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
