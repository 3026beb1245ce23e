// The divergence of one model from another, beside the formula; and of a model from itself.
#include "tools/measure/divergence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "quant/registry.h"
#include "tests/support/errors.h"
#include "tests/support/loaded_small_model.h"
#include "tests/support/temp_dir.h"
#include "tools/measure/logits.h"

namespace skald {
namespace {

using testing::HasSubstr;

constexpr int64_t kVocab = 101, kContext = 20;

std::vector<double> probabilities(const float* row) {
  std::vector<double> out;
  double sum = 0;
  for (int64_t i = 0; i < kVocab; ++i) sum += out.emplace_back(std::exp(static_cast<double>(row[i])));
  for (double& p : out) p /= sum;
  return out;
}

class DivergenceTest : public testing::Test {
 protected:
  static TokenChunks text(uint64_t seed = 3) {
    return cut_tokens(test::some_tokens(100, seed, kVocab), TokenId{2}, {.n_ctx = kContext});
  }

  DivergenceTest() {
    reference_ = measure_perplexity(*base_, {.device = {.n_threads = 2}}, text(), {.save_reference = path_});
  }

  DivergenceResult measure(const LoadedModel& model, int64_t ubatch = 512, const OnWindow& on_window = {}) const {
    return measure_divergence(model, {.device = {.n_threads = 2}, .schedule = {.n_ubatch = ubatch}}, ReferenceFile(path_),
                              TokenId{2}, on_window);
  }

  test::TempDir dir_;
  std::string path_ = dir_.path("r.bin");
  std::shared_ptr<const LoadedModel> base_ = test::load({}), coarse_ = test::load({.format = find_format("q4_0")});
  PerplexityResult reference_;
};

TEST_F(DivergenceTest, OfAModelFromItselfIsRounding) {
  const DivergenceResult r = measure(*base_);
  EXPECT_EQ(r.divergence.count(), text().count * text().predicted());
  EXPECT_NEAR(r.divergence.mean(), 0, 1e-5);
  EXPECT_NEAR(r.perplexity(), reference_.perplexity(), 1e-9);
  EXPECT_NEAR(r.reference_perplexity(), reference_.perplexity(), 1e-3 * reference_.perplexity());
  EXPECT_GT(r.loss.correlation(), 0.999);
  EXPECT_LT(r.delta_p_rms(), 1e-4);
  EXPECT_EQ(r.same_top.mean(), 1);
}

TEST_F(DivergenceTest, IsTheFormulas) {
  double divergence = 0, squares = 0, same = 0, n = 0;
  const TokenChunks windows = text();
  for (int64_t i = 0; i < windows.count; ++i) {
    const std::vector<float> base = compute_logits(*base_, {.device = {.n_threads = 1}}, windows.window(i), -1);
    const std::vector<float> coarse = compute_logits(*coarse_, {.device = {.n_threads = 1}}, windows.window(i), -1);
    for (int64_t at = windows.first; at < kContext - 1; ++at, ++n) {
      const std::vector<double> p = probabilities(base.data() + at * kVocab), q = probabilities(coarse.data() + at * kVocab);
      for (size_t v = 0; v < p.size(); ++v) divergence += p[v] * std::log(p[v] / q[v]);
      const auto target = static_cast<size_t>(windows.target(i, at));
      squares += (q[target] - p[target]) * (q[target] - p[target]);
      same += std::ranges::max_element(p) - p.begin() == std::ranges::max_element(q) - q.begin() ? 1 : 0;
    }
  }
  const DivergenceResult r = measure(*coarse_);
  ASSERT_GT(divergence / n, 1e-3) << "the types differ";
  EXPECT_NEAR(r.divergence.mean(), divergence / n, 0.01 * divergence / n);
  EXPECT_NEAR(r.delta_p_rms(), std::sqrt(squares / n), 0.01 * std::sqrt(squares / n));
  EXPECT_NEAR(r.same_top.mean(), same / n, 1.01 / n) << "but for a tie within the file's precision";
  EXPECT_GT(r.divergence.error(), 0);
}

TEST_F(DivergenceTest, DoesNotDependOnTheSizeOfSteps) {
  const DivergenceResult r = measure(*coarse_);
  for (const int64_t ubatch : {20, 7}) EXPECT_EQ(measure(*coarse_, ubatch).divergence.mean(), r.divergence.mean());
  EXPECT_TRUE(std::ranges::is_sorted(r.divergences));
  EXPECT_TRUE(std::ranges::is_sorted(r.deltas));
}

TEST_F(DivergenceTest, TellsAfterEachWindow) {
  int64_t windows = 0;
  measure(*coarse_, 7, [&](const WindowProgress& p) { EXPECT_EQ(p.done, ++windows); });
  EXPECT_EQ(windows, text().count);
}

TEST_F(DivergenceTest, OfTheLastPredictionsIsTheirPart) {
  const ReferenceFile file(path_);
  const auto measured = [&](int64_t last) {
    return measure_divergence(*coarse_, {.device = {.n_threads = 2}}, file, TokenId{2}, {}, last);
  };
  const DivergenceResult all = measured(0), whole = measured(kContext / 2 - 1), some = measured(3);
  EXPECT_EQ(whole.divergences, all.divergences);
  EXPECT_EQ(some.divergence.count(), 3 * text().count);
  for (const float d : some.divergences) EXPECT_TRUE(std::ranges::binary_search(all.divergences, d)) << d;
  EXPECT_THAT(test::error_of([&] { measured(kContext / 2); }).what(), HasSubstr("the 9 predictions"));
}

TEST_F(DivergenceTest, RefusesAnotherVocabulary) {
  const auto other = test::load({.n_vocab = 99});
  EXPECT_THAT(test::error_of([&] { measure(*other); }).what(), HasSubstr("a vocabulary of 101 tokens, the model has 99"));
}

TEST_F(DivergenceTest, KnowsItsText) {
  const ReferenceFile reference(path_);
  const auto error = [&](const TokenChunks& t) {
    return std::string(test::error_of([&] { check_same_text(t, reference); }).what());
  };
  EXPECT_EQ(error(text()), "no error");
  EXPECT_THAT(error(text(4)), HasSubstr("they differ from token 0"));
  EXPECT_THAT(error(cut_tokens(text().tokens, {}, {.n_ctx = 10})), HasSubstr("windows of 20 tokens, not 10"));
  EXPECT_THAT(error(cut_tokens(test::some_tokens(60, 3, kVocab), {}, {.n_ctx = kContext})), HasSubstr("the text has 60"));
}

TEST_F(DivergenceTest, ReportsHaveLlamasNames) {
  const DivergenceResult r = measure(*coarse_);
  const std::string text = divergence_markdown(r);
  for (const char* name : {"Mean PPL(Q)", "Mean PPL(base)", "Mean KLD", "Median KLD", "99.0 % KLD", "Maximum KLD", "RMS Δp",
                           "Same top p", "PPL = "})
    EXPECT_THAT(text, HasSubstr(name));
  const auto json = nlohmann::json::parse(divergence_json(r));
  EXPECT_DOUBLE_EQ(json.at("divergence"), r.divergence.mean());
  EXPECT_DOUBLE_EQ(json.at("divergence_error"), r.divergence.error());
  EXPECT_DOUBLE_EQ(json.at("same_top"), r.same_top.mean());
  EXPECT_THAT(divergence_csv(r), HasSubstr("\ndivergence_median,"));
}

TEST(Quantile, LiesBetweenTheNearestTwo) {
  const std::vector<float> x = {1, 2, 4};
  EXPECT_EQ(quantile(x, 0), 1);
  EXPECT_EQ(quantile(x, 0.5), 2);
  EXPECT_DOUBLE_EQ(quantile(x, 0.75), 3);
  EXPECT_EQ(quantile(x, 1), 4);
  EXPECT_EQ(quantile(std::vector<float>{7}, 0.9), 7);
}

}  // namespace
}  // namespace skald
