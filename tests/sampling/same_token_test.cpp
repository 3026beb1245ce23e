// The fast ways through a vocabulary against the plain one: sort all tokens, cut the list, draw. Same token, every time.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/rng.h"
#include "sampling/filters/min_p.h"
#include "sampling/filters/penalties.h"
#include "sampling/filters/top_k.h"
#include "sampling/filters/top_p.h"
#include "sampling/sampler.h"

namespace skald::same_token_test {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

/// What Sampler did before it had fast ways.
class PlainSampler {
 public:
  explicit PlainSampler(const SamplingParams& params) : params_(params), rng_(params.seed) {}
  void accept(TokenId id) { past_.push_back(id); }
  TokenId pick(std::span<const float> logits) {
    std::vector<float> own(logits.begin(), logits.end());
    if (penalizes(params_)) penalize(params_, past_, own);
    std::vector<Candidate> all;
    for (size_t i = 0; i < own.size(); ++i) all.push_back({static_cast<TokenId>(i), own[i]});
    keep_top_k(all, params_.temperature == 0 ? 1 : params_.top_k);
    if (params_.temperature == 0) return all[0].id;
    keep_top_p(all, params_.top_p);
    keep_min_p(all, params_.min_p);
    return draw(all, params_.temperature, rng_.uniform());
  }

 private:
  SamplingParams params_;
  Rng rng_;
  std::vector<TokenId> past_;
};

// Of about unit variance, times `spread`.
std::vector<float> random_logits(size_t n, float spread, Rng& rng) {
  std::vector<float> out(n);
  for (float& x : out) {
    double sum = 0;
    for (int i = 0; i < 4; ++i) sum += rng.uniform() - 0.5;
    x = static_cast<float>(sum * 1.7) * spread;
  }
  return out;
}

void expect_same(const SamplingParams& params, const std::vector<std::vector<float>>& rows, const std::string& what) {
  Sampler fast(params);
  PlainSampler plain(params);
  for (const std::vector<float>& logits : rows) {
    const TokenId got = fast.pick(logits), want = plain.pick(logits);
    ASSERT_EQ(got, want) << what << ", temperature " << params.temperature << ", top_k " << params.top_k << ", top_p "
                         << params.top_p << ", min_p " << params.min_p << ", seed " << params.seed;
    fast.accept(got);
    plain.accept(want);
  }
}

std::vector<SamplingParams> parameter_mixes() {
  std::vector<SamplingParams> out;
  for (const float temperature : {0.0f, 0.3f, 0.8f, 1.0f, 2.5f})
    for (const int top_k : {0, 1, 40, 1000})
      for (const float top_p : {0.0f, 0.5f, 0.95f, 1.0f})
        for (const float min_p : {0.0f, 0.05f, 1.0f})
          out.push_back(
              {.temperature = temperature, .top_k = top_k, .top_p = top_p, .min_p = min_p, .seed = out.size() + 1});
  return out;
}

TEST(SameToken, ForRandomLogitsAndAllMixesOfParameters) {
  Rng rng(1);
  for (const size_t n : {size_t{1}, size_t{2}, size_t{300}, size_t{5000}})
    for (const float spread : {0.1f, 3.0f, 20.0f}) {
      const std::vector<std::vector<float>> rows = {random_logits(n, spread, rng), random_logits(n, spread, rng)};
      for (const SamplingParams& params : parameter_mixes())
        expect_same(params, rows, fmt::format("{} logits, spread {}", n, spread));
    }
}

TEST(SameToken, ForALargeVocabularyAndManySeeds) {
  Rng rng(2);
  const std::vector<std::vector<float>> rows = {random_logits(262144, 4, rng)};
  for (uint64_t seed = 1; seed <= 6; ++seed)
    for (const SamplingParams& params : {SamplingParams{.seed = seed}, SamplingParams{.top_k = 0, .seed = seed},
                                         SamplingParams{.top_k = 0, .top_p = 1, .min_p = 0, .seed = seed}})
      expect_same(params, rows, "262144 logits");
}

TEST(SameToken, ForTies) {
  Rng rng(3);
  std::vector<float> logits = random_logits(4000, 2, rng);
  for (float& x : logits) x = std::round(x);
  for (const SamplingParams& params : parameter_mixes()) {
    expect_same(params, {logits, logits}, "ties");
    expect_same(params, {std::vector<float>(3000, 1.5f)}, "all equal");
  }
}

TEST(SameToken, ForLogitsThatAreNoNumbersOrInfinite) {
  Rng rng(4);
  const auto with = [&](float value, size_t every) {
    std::vector<float> out = random_logits(2000, 3, rng);
    for (size_t i = 0; i < out.size(); i += every) out[i] = value;
    return out;
  };
  for (const SamplingParams& params : parameter_mixes()) {
    expect_same(params, {with(kNan, 3), with(kNan, 1), with(kInf, 700), with(-kInf, 2), with(-kInf, 1)}, "special values");
    expect_same(params, {with(3e38f, 900), with(-3e38f, 2)}, "huge values");
  }
}

TEST(SameToken, UnderPenalties) {
  Rng rng(5);
  std::vector<std::vector<float>> rows;
  for (int i = 0; i < 20; ++i) rows.push_back(random_logits(500, 2, rng));
  for (const int top_k : {0, 40})
    for (const float temperature : {0.0f, 1.0f})
      expect_same({.temperature = temperature,
                   .top_k = top_k,
                   .repeat_penalty = 1.3f,
                   .presence_penalty = 0.5f,
                   .frequency_penalty = 0.2f,
                   .seed = 9},
                  rows, "penalties");
}

TEST(SameToken, ACopyOfASamplerGoesOnAsTheOriginal) {
  Rng rng(6);
  const std::vector<float> logits = random_logits(1000, 2, rng);
  Sampler sampler({.top_k = 0, .repeat_penalty = 1.1f, .seed = 4});
  sampler.accept(sampler.pick(logits));
  Sampler fork = sampler;
  for (int i = 0; i < 10; ++i) {
    const TokenId id = sampler.pick(logits);
    EXPECT_EQ(fork.pick(logits), id);
    sampler.accept(id);
    fork.accept(id);
  }
}

}  // namespace
}  // namespace skald::same_token_test
