// Guesses by the text itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "engine/drafts/draft_kind.h"
#include "tests/engine/drafts/kinds/ask.h"
#include "tests/engine/drafts/kinds/same_text.h"
#include "tests/support/errors.h"

namespace skald::ngram_test {
namespace {

using Tokens = std::vector<TokenId>;
using testing::ElementsAre;
using testing::IsEmpty;

class Ngram : public testing::Test {
 protected:
  Tokens ask(TextDrafter& branch, const Tokens& text, int64_t most = 10) { return test::ask(*source_, branch, text, most); }
  std::unique_ptr<TextDrafter> begin() { return source_->begin({}); }

  EngineOptions options_{.draft = {.kind = "ngram"}};
  std::shared_ptr<Drafter> source_ = make_drafter({options_});
};

TEST_F(Ngram, GoesOnAsTheTextDidAfterTheSameTokens) {
  const auto branch = begin();
  EXPECT_THAT(ask(*branch, {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4}), ElementsAre(5, 6, 7, 8));
}

TEST_F(Ngram, PrefersTheLatestPlaceAndTheLongestRun) {
  const auto branch = begin();
  EXPECT_THAT(ask(*branch, {1, 2, 70, 71, 1, 2, 80, 81, 1, 2}, 1), ElementsAre(80));
  EXPECT_THAT(ask(*begin(), {8, 9, 1, 2, 70, 5, 5, 1, 2, 80, 5, 8, 9, 1, 2}, 1), ElementsAre(70));
}

TEST_F(Ngram, ATextThatRepeatsItselfGoesOnBeyondItsEnd) {
  EXPECT_THAT(ask(*begin(), {5, 6, 5, 6, 5, 6}), ElementsAre(5, 6, 5, 6));
}

TEST_F(Ngram, GuessesNothingOfANewText) {
  EXPECT_THAT(ask(*begin(), {}), IsEmpty());
  EXPECT_THAT(ask(*begin(), {1}), IsEmpty());
  EXPECT_THAT(ask(*begin(), {1, 2, 3, 4, 5, 6}), IsEmpty());
}

TEST_F(Ngram, LearnsFromTheTextAsItGrows) {
  const auto branch = begin();
  Tokens text{1, 2, 3, 4};
  EXPECT_THAT(ask(*branch, text), IsEmpty());
  for (const TokenId token : {9, 9, 1, 2}) text.push_back(token);
  EXPECT_THAT(ask(*branch, text, 2), ElementsAre(3, 4));
}

TEST_F(Ngram, GuessesMoreAfterRightOnesAndFewerAfterWrongOnes) {
  const auto branch = begin();
  Tokens text;
  for (TokenId i = 0; i < 20; ++i) text.push_back(i);
  for (TokenId i = 0; i < 4; ++i) text.push_back(i);
  EXPECT_EQ(ask(*branch, text).size(), 4u);
  branch->judge(4, 4);
  EXPECT_EQ(ask(*branch, text, 6).size(), 6u) << "the most";
  branch->judge(0, 6);
  EXPECT_EQ(ask(*branch, text).size(), 1u);
  branch->judge(1, 1);
  EXPECT_EQ(ask(*branch, text).size(), 2u);
}

TEST_F(Ngram, ForksGoOnByThemselves) {
  const auto branch = begin();
  Tokens text{1, 2, 3, 1, 2};
  ask(*branch, text, 1);
  const auto fork = branch->fork();
  fork->judge(0, 1);
  for (const TokenId token : {7, 1, 2}) text.push_back(token);
  EXPECT_THAT(ask(*fork, text), ElementsAre(7));
  EXPECT_THAT(ask(*branch, {1, 2, 3, 1, 2}, 2), ElementsAre(3, 1));
}

TEST(Drafters, AnUnknownKindIsRejectedWithTheKnownOnes) {
  EXPECT_EQ(find_draft_kind({}), nullptr);
  EXPECT_STREQ(test::error_of([] { find_draft_kind({.kind = "oracle"}); }).what(),
               "draft.kind: 'oracle' is unknown; known: none, auto, draft, mtp, ngram, sparq");
}

TEST_F(Ngram, GoesOnAsTheRequestPredicts) {
  const auto branch = source_->begin({.prompt = {1, 2, 3}, .prediction = {50, 51, 52, 53, 54, 55}});
  EXPECT_THAT(ask(*branch, {1, 2, 3}), ElementsAre(50, 51, 52, 53));
  EXPECT_THAT(ask(*branch, {1, 2, 3, 90, 91, 53, 54}), ElementsAre(55)) << "after another beginning";
  EXPECT_THAT(ask(*source_->begin({.prompt = {1, 2, 3}}), {1, 2, 3}), IsEmpty());
}

TEST_F(Ngram, GoesOnAsEarlierTextsOfTheSameScope) {
  source_->ended({.scope = "a"}, Tokens{5, 6, 7, 8, 9});
  source_->ended({.scope = "a", .cache_prompt = false}, Tokens{1, 2, 3});
  EXPECT_THAT(ask(*source_->begin({.scope = "a"}), {0, 5, 6}), ElementsAre(7, 8, 9));
  EXPECT_THAT(ask(*source_->begin({.scope = "b"}), {0, 5, 6}), IsEmpty());
  EXPECT_THAT(ask(*source_->begin({.scope = "a", .cache_prompt = false}), {0, 5, 6}), IsEmpty());
  EXPECT_THAT(ask(*source_->begin({.scope = "a"}), {0, 1, 2}), IsEmpty());
}

TEST_F(Ngram, TellsThatLongerRunsAreLikelier) {
  const auto branch = source_->begin({});
  Tokens text;
  for (TokenId i = 0; i < 30; ++i) text.push_back(i);
  double before = branch->likely(text);
  EXPECT_EQ(before, 0) << "there is no guess";
  for (const TokenId n : {2, 5, 20}) {
    Tokens more = text;
    for (TokenId i = 0; i < n; ++i) more.push_back(i);
    const double likely = source_->begin({})->likely(more);
    EXPECT_GT(likely, before) << n;
    before = likely;
  }
}

TEST(NgramCorpus, GivesGuessesOfAFile) {
  const std::string file = testing::TempDir() + "skald_corpus.txt";
  std::ofstream(file) << "The engine reads the text";
  const Model model = Model::load(test::golden_file("llama_gqa"));
  const EngineOptions o{.draft = {.kind = "ngram", .corpus = file}};
  const Tokens tokens = model.tokenize("The engine reads the text");
  ASSERT_GT(tokens.size(), 8u);
  const auto source = make_drafter({o, model.loaded().get()});
  const auto branch = source->begin({});
  const Tokens text(tokens.begin() + 2, tokens.begin() + 6);
  DraftQuestion q{branch.get(), text, 2};
  source->guess({&q, 1});
  EXPECT_THAT(q.guesses, ElementsAre(tokens[6], tokens[7]));
  const EngineOptions missing{.draft = {.kind = "ngram", .corpus = file + ".none"}};
  const std::string why = test::error_of([&] { make_drafter({missing, model.loaded().get()}); }).what();
  EXPECT_NE(why.find(file + ".none"), std::string::npos) << why;
}

}  // namespace
}  // namespace skald::ngram_test
