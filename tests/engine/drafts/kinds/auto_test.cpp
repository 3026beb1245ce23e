// Guesses where they gain.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/drafts/draft_kind.h"
#include "tests/engine/drafts/kinds/ask.h"
#include "tests/engine/drafts/kinds/same_text.h"

namespace skald::auto_drafts_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Tokens = std::vector<TokenId>;

class Auto : public testing::Test {
 protected:
  Tokens ask(TextDrafter& branch, const Tokens& text, int64_t most = 10) { return test::ask(*source_, branch, text, most); }
  // A step of n rows takes 1 + (n - 1) * each.
  void set_prices(double each) {
    for (int i = 0; i < 50; ++i)
      for (int64_t rows = 1; rows <= 64; ++rows) source_->took(rows, 1 + static_cast<double>(rows - 1) * each);
  }

  EngineOptions options_{.draft = {.kind = "auto"}};
  std::shared_ptr<Drafter> source_ = make_drafter({options_});
};

const Tokens kLoop = {1,  2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19,
                      20, 1, 2, 3, 4, 5, 6, 7, 8, 9,  10, 11, 12, 13, 14, 15, 16, 17};

TEST_F(Auto, GuessesNothingBeforeAStepWasMeasured) {
  const auto branch = source_->begin({});
  EXPECT_THAT(ask(*branch, kLoop), IsEmpty());
  set_prices(0.1);
  EXPECT_THAT(ask(*branch, kLoop, 3), ElementsAre(18, 19, 20));
}

TEST_F(Auto, GuessesNothingWhereRowsCostTooMuch) {
  set_prices(1.0);
  EXPECT_THAT(ask(*source_->begin({}), kLoop), IsEmpty());
}

// What was not guessed is compared with the text all the same: no step is lost by it.
TEST_F(Auto, LearnsFromTheTextThatGuessesWouldHaveBeenRight) {
  set_prices(0.7);
  const auto branch = source_->begin({});
  Tokens text;
  size_t guessed = 0;
  for (int round = 0; round < 12; ++round)
    for (TokenId token = 1; token <= 20; ++token) {
      text.push_back(token);
      if (!guessed) guessed = ask(*branch, text).size();
    }
  EXPECT_GT(guessed, 0u);
}

TEST_F(Auto, GuessesNoMoreAfterWrongOnes) {
  set_prices(0.2);
  const auto branch = source_->begin({});
  Tokens text;
  std::vector<size_t> guessed;
  for (TokenId round = 0; round < 60; ++round)  // the same two tokens, and then another one
    for (const TokenId token : {1, 2, 1000 + round}) {
      text.push_back(token);
      const size_t n = ask(*branch, text).size();
      if (n) branch->judge(0, static_cast<int64_t>(n));
      if (token == 2) guessed.push_back(n);
    }
  EXPECT_GT(guessed[1], 0u);
  EXPECT_THAT(std::vector(guessed.begin() + 20, guessed.end()), testing::Each(0u));
}

TEST_F(Auto, ForksGoOnByThemselves) {
  set_prices(0.1);
  const auto branch = source_->begin({});
  const size_t before = ask(*branch, kLoop).size();
  const auto fork = branch->fork();
  for (int i = 0; i < 50; ++i) fork->judge(0, 6);
  EXPECT_THAT(ask(*fork, kLoop), IsEmpty());
  EXPECT_EQ(ask(*branch, kLoop).size(), before);
}

TEST(AutoDrafts, ChangeNoTextWithADraftModelToo) {
  const std::string file = test::golden_file("llama_gqa");
  const EngineOptions usual{.device = {.n_threads = 2}, .cache = {.n_ctx = 512}, .schedule = {.n_parallel = 3}};
  for (const char* model : {"", "llama_gqa"}) {
    const DraftOptions draft{.kind = "auto", .p_min = 0, .model = *model ? test::golden_file(model) : ""};
    test::expect_same_texts(Model::load(file), usual, draft);
  }
  test::expect_same_texts(Model::load(test::golden_file("qwen35")), usual, {.kind = "auto"});
}

}  // namespace
}  // namespace skald::auto_drafts_test
