// Guesses by the text itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/drafts/draft_source.h"
#include "tests/support/errors.h"

namespace skald::ngram_test {
namespace {

using Tokens = std::vector<TokenId>;
using testing::ElementsAre;
using testing::IsEmpty;

class Ngram : public testing::Test {
 protected:
  Tokens ask(BranchDrafts& branch, const Tokens& text, int64_t most = 10) {
    DraftQuestion q{&branch, text, most};
    source_->guess({&q, 1});
    return q.guesses;
  }
  std::unique_ptr<BranchDrafts> begin() { return source_->begin({}); }

  EngineOptions options_{.draft = {.kind = "ngram", .most = 6}};
  std::shared_ptr<DraftSource> source_ = make_draft_source({options_});
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
  EXPECT_EQ(ask(*branch, text).size(), 6u) << "the most";
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

TEST(DraftSources, AnUnknownKindIsRejectedWithTheKnownOnes) {
  EXPECT_EQ(find_draft_kind({}), nullptr);
  EXPECT_STREQ(test::error_of([] { find_draft_kind({.kind = "oracle"}); }).what(),
               "draft.kind: 'oracle' is unknown; known: none, draft, ngram, sparq");
}

}  // namespace
}  // namespace skald::ngram_test
