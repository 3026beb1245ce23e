// Perplexity beside the formula over the logits of all positions, and the options of a measurement.
#include "tools/measure/perplexity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "skald/model.h"
#include "tests/support/errors.h"
#include "tests/support/loaded_small_model.h"
#include "tests/support/temp_dir.h"
#include "tools/measure/logits.h"

namespace skald {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr int64_t kVocab = 101;  // of SmallModel

class PerplexityTest : public testing::Test {
 protected:
  static TokenChunks text(const ChunkOptions& options) {
    return cut_tokens(test::some_tokens(100, 3, kVocab), TokenId{2}, options);
  }

  PerplexityResult measure(const TokenChunks& text, const PerplexityExtras& extras = {}, int64_t ubatch = 512) const {
    return measure_perplexity(*model_, {.device = {.n_threads = 2}, .schedule = {.n_ubatch = ubatch}}, text, extras);
  }

  // From every window's logits, all in double.
  double expected_loss(const TokenChunks& text) const {
    double sum = 0;
    for (int64_t i = 0; i < text.count; ++i) {
      const std::vector<float> logits = compute_logits(*model_, {.device = {.n_threads = 1}}, text.window(i), -1);
      for (int64_t p = text.first; p < text.n_ctx - 1; ++p) {
        const float* row = logits.data() + p * kVocab;
        double total = 0;
        for (int64_t v = 0; v < kVocab; ++v) total += std::exp(static_cast<double>(row[v]));
        sum += std::log(total) - static_cast<double>(row[text.target(i, p)]);
      }
    }
    return sum / static_cast<double>(text.count * text.predicted());
  }

  std::shared_ptr<const LoadedModel> model_ = test::load({});
};

TEST_F(PerplexityTest, IsTheExponentialOfTheMeanLoss) {
  for (const ChunkOptions& o : {ChunkOptions{.n_ctx = 16}, ChunkOptions{.n_ctx = 16, .stride = 5}, ChunkOptions{.n_ctx = 3},
                                ChunkOptions{.n_ctx = 100}}) {
    const TokenChunks windows = text(o);
    const PerplexityResult r = measure(windows);
    EXPECT_EQ(r.loss.count(), windows.count * windows.predicted());
    EXPECT_NEAR(r.loss.mean(), expected_loss(windows), 1e-6) << o.n_ctx;
    EXPECT_DOUBLE_EQ(r.perplexity(), std::exp(r.loss.mean()));
    EXPECT_DOUBLE_EQ(r.error(), r.perplexity() * r.loss.error());
  }
}

TEST_F(PerplexityTest, DoesNotDependOnHowManyWindowsAStepTakes) {
  const TokenChunks windows = text({.n_ctx = 16});
  const double together = measure(windows, {}, 512).loss.mean();
  EXPECT_EQ(measure(windows, {}, 16).loss.mean(), together);
  EXPECT_EQ(measure(windows, {}, 5).loss.mean(), together);
  EXPECT_EQ(measure(windows, {.positions = Positions::kAll}, 5).loss.mean(), together) << "others do not count";
}

TEST_F(PerplexityTest, TellsAfterEachWindow) {
  const TokenChunks windows = text({.n_ctx = 30});
  std::vector<int64_t> done;
  double last = 0;
  const PerplexityResult r = measure(windows, {.on_window = [&](const WindowProgress& p) {
                                       done.push_back(p.done);
                                       EXPECT_EQ(p.total, 3);
                                       last = p.perplexity;
                                     }});
  EXPECT_THAT(done, ElementsAre(1, 2, 3));
  EXPECT_EQ(last, r.perplexity());
}

TEST_F(PerplexityTest, ThatIsEndedLeavesNoReference) {
  const test::TempDir dir;
  const auto stop = [](const WindowProgress&) { throw std::runtime_error("stop"); };
  EXPECT_THROW(measure(text({.n_ctx = 16}), {.save_reference = dir.path("r.bin"), .on_window = stop}), std::runtime_error);
  EXPECT_EQ(dir.files(), 0U);
}

TEST_F(PerplexityTest, NamesIdsThatTheModelHasNot) {
  const TokenChunks bad = cut_tokens(std::vector<TokenId>(20, kVocab), std::nullopt, {.n_ctx = 10});
  EXPECT_THAT(test::error_of([&] { measure(bad); }).what(), HasSubstr("token id 101"));
}

TEST_F(PerplexityTest, OfTheEmbeddedModelIsLowForItsOwnKindOfText) {
  const Model model = Model::embedded();
  const std::string story =
      "Once upon a time there was a shy boy named Tom who loved telling funny stories. Tom had a red drum. He played with "
      "it each morning. One morning, the red drum slipped out of his hands and fell on the floor.";
  const TokenChunks windows = cut_tokens(model.tokenize(story), added_bos(*model.loaded()), {.n_ctx = 40});
  EXPECT_LT(measure_perplexity(*model.loaded(), {.device = {.n_threads = 2}}, windows, {}).perplexity(), 8);
}

TEST_F(PerplexityTest, ReportsSayTheSame) {
  PerplexityResult r{.model = "m", .type = "q8_0", .n_ctx = 8, .chunks = 2, .loss = {}};
  for (const double v : {1.0, 2.0}) r.loss.add(v);
  EXPECT_EQ(perplexity_markdown(r), "PPL = 4.4817 +/- 2.24084\n");
  const auto json = nlohmann::json::parse(perplexity_json(r));
  EXPECT_DOUBLE_EQ(json.at("perplexity"), std::exp(1.5));
  EXPECT_EQ(json.at("tokens"), 2);
  EXPECT_THAT(perplexity_csv(r), HasSubstr("m,q8_0,8,0,2,2,1.50000000,0.50000000,4.481689,2.240845"));
}

}  // namespace
}  // namespace skald
