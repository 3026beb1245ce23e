// Penalties against llama.cpp's definition: the repeat penalty divides positive logits and multiplies the others, then
// count * frequency + presence is subtracted.
#include <gtest/gtest.h>

#include <numeric>

#include "sampling/sampler.h"

namespace skald {
namespace {

Sampler with_past(SamplingParams params, std::initializer_list<TokenId> past) {
  params.temperature = 0;
  Sampler sampler(params);
  for (const TokenId id : past) sampler.accept(id);
  return sampler;
}

// Token 0's logit after the penalties, seen from outside: a rival at just that height loses below and wins above.
void expect_penalised(const SamplingParams& params, std::initializer_list<TokenId> past, float logit, float want) {
  Sampler sampler = with_past(params, past);
  EXPECT_EQ(sampler.pick(std::vector{logit, want - 1e-4f}), 0) << "of " << logit << ": below " << want;
  EXPECT_EQ(sampler.pick(std::vector{logit, want + 1e-4f}), 1) << "of " << logit << ": above " << want;
}

TEST(RepeatPenalty, DividesPositiveLogitsAndMultipliesNegativeOnes) {
  const SamplingParams params{.repeat_penalty = 1.25f};
  expect_penalised(params, {0}, 2.0f, 1.6f);
  expect_penalised(params, {0}, -2.0f, -2.5f);
  expect_penalised(params, {0}, 0.0f, 0.0f);
}

TEST(RepeatPenalty, CountsATokenOnceHoweverOftenItOccurred) {
  expect_penalised({.repeat_penalty = 1.25f}, {0, 0, 0}, 2.0f, 1.6f);
}

TEST(RepeatPenalty, BelowOneMakesRecentTokensMoreLikely) { expect_penalised({.repeat_penalty = 0.5f}, {0}, 2.0f, 4.0f); }

TEST(PresencePenalty, IsSubtractedOnce) { expect_penalised({.presence_penalty = 0.5f}, {0, 0, 0}, 2.0f, 1.5f); }

TEST(FrequencyPenalty, IsSubtractedOncePerOccurrence) {
  expect_penalised({.frequency_penalty = 0.5f}, {0, 0, 0}, 2.0f, 0.5f);
}

TEST(FrequencyPenalty, NegativeRewardsRepetition) { expect_penalised({.frequency_penalty = -0.5f}, {0, 0}, 2.0f, 3.0f); }

TEST(Penalties, AddUpAfterTheDivision) {
  const SamplingParams params{.repeat_penalty = 2.0f, .presence_penalty = 0.25f, .frequency_penalty = 0.5f};
  expect_penalised(params, {0, 0}, 2.0f, -0.25f);  // 2 / 2 - 0.25 - 2 * 0.5
  expect_penalised(params, {0}, -1.0f, -2.75f);    // -1 * 2 - 0.25 - 0.5
}

TEST(Penalties, LeaveTokensThatDidNotOccurAlone) {
  const SamplingParams params{.repeat_penalty = 2.0f, .presence_penalty = 1, .frequency_penalty = 1};
  EXPECT_EQ(with_past(params, {0, 3}).pick(std::vector{9.0f, 2.0f, 1.9f, 9.0f}), 0);  // 9 / 2 - 1 - 1 = 2.5
  EXPECT_EQ(with_past(params, {0, 3}).pick(std::vector{7.0f, 2.0f, 1.9f, 7.0f}), 1);  // 7 / 2 - 1 - 1 = 1.5
}

TEST(RepeatLastN, LooksAtTheLastTokensOnly) {
  const SamplingParams params{.frequency_penalty = 1.0f, .repeat_last_n = 3};
  expect_penalised(params, {0, 0, 0, 5, 6}, 5.0f, 4.0f);
  expect_penalised(params, {0, 0, 5, 6, 7}, 5.0f, 5.0f);
}

TEST(RepeatLastN, OfZeroSwitchesPenaltiesOffAndMinusOneLooksAtAll) {
  SamplingParams params{.frequency_penalty = 0.01f, .repeat_last_n = 0};
  expect_penalised(params, {0, 0}, 5.0f, 5.0f);
  params.repeat_last_n = -1;
  Sampler sampler = with_past(params, {});
  for (int i = 0; i < 100; ++i) sampler.accept(0);
  for (int i = 0; i < 100; ++i) sampler.accept(2);
  EXPECT_EQ(sampler.pick(std::vector{5.0f, 3.99f}), 0);
  EXPECT_EQ(sampler.pick(std::vector{5.0f, 4.01f}), 1);
}

TEST(RepeatLastN, IsSixtyFourUnlessTold) {
  Sampler sampler = with_past({.presence_penalty = 1.0f}, {0});
  for (int i = 0; i < 63; ++i) sampler.accept(1);
  EXPECT_EQ(sampler.pick(std::vector{2.0f, 0.0f, 1.5f}), 2);  // 0 is the 64th last
  sampler.accept(1);
  EXPECT_EQ(sampler.pick(std::vector{2.0f, 0.0f, 1.5f}), 0);
}

TEST(Penalties, IgnoreAcceptedIdsOutsideTheVocabulary) {
  Sampler sampler = with_past({.presence_penalty = 1.0f}, {-1, 99});
  EXPECT_EQ(sampler.pick(std::vector{2.0f, 1.5f}), 0);
}

TEST(Penalties, ApplyBeforeTopK) {
  SamplingParams params{.temperature = 1, .top_k = 1, .presence_penalty = 10, .seed = 1};
  Sampler sampler(params);
  sampler.accept(0);
  EXPECT_EQ(sampler.pick(std::vector{2.0f, 1.0f, 0.0f}), 1);
}

}  // namespace
}  // namespace skald
