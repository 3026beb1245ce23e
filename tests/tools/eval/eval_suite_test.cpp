// Made-up tasks: as long as they were asked for, the same for a seed, with the answer in the prompt; and how answers count.
#include "tools/eval/eval_suite.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <algorithm>
#include <regex>

#include "skald/model.h"
#include "tests/support/errors.h"

namespace skald::eval_suite_test {
namespace {

class EverySuite : public testing::TestWithParam<const EvalSuite*> {
 protected:
  static EvalCase make(int64_t length, uint64_t seed) {
    Rng rng(seed);
    return GetParam()->make(text(), length, rng);
  }
  static const EvalText& text() {
    static const Model model = Model::embedded();
    static const EvalText text(*model.loaded());
    return text;
  }
};

TEST_P(EverySuite, MakesPromptsOfNearlyTheLength) {
  for (const int64_t length : {400, 1000, 3000}) {
    const auto n = std::ssize(make(length, 1).prompt);
    EXPECT_LE(n, length);
    EXPECT_GT(n, length - 40);
  }
}

TEST_P(EverySuite, HasItsAnswersInThePromptOrPredictsWhatFollows) {
  const EvalCase c = make(1000, 2);
  ASSERT_EQ(c.answers.empty(), GetParam()->predicts);
  ASSERT_EQ(c.follows.empty(), !GetParam()->predicts);
  const std::string prompt = text().decode(c.prompt);
  for (const std::string& answer : c.answers) EXPECT_NE(prompt.find(answer), prompt.npos) << answer;
}

TEST_P(EverySuite, IsTheSameForASeedAndAnotherForAnother) {
  EXPECT_EQ(make(500, 3).prompt, make(500, 3).prompt);
  EXPECT_NE(make(500, 3).prompt, make(500, 4).prompt);
}

TEST_P(EverySuite, AsksInAChatWithItsAnswersInThePrompt) {
  if (GetParam()->predicts) GTEST_SKIP() << "asks nothing";
  static const Model model = Model::embedded();
  const EvalText text(*model.loaded(), {}, EvalText::Form::kChat);
  Rng rng(2);
  const EvalCase c = GetParam()->make(text, 1000, rng);
  EXPECT_LE(std::ssize(c.prompt), 1000);
  EXPECT_GT(std::ssize(c.prompt), 940);
  const std::string prompt = text.decode(c.prompt), line = prompt.substr(prompt.rfind('\n'));
  for (const std::string& answer : c.answers) EXPECT_NE(prompt.find(answer), prompt.npos) << answer;
  EXPECT_THAT(line, testing::HasSubstr("Answer with"));
}

TEST_P(EverySuite, RefusesLengthsThatAreTooShort) {
  EXPECT_EQ(test::error_of([] { make(10, 1); }).code(), Errc::kBadInput);
}

INSTANTIATE_TEST_SUITE_P(All, EverySuite, testing::ValuesIn(eval_suites().begin(), eval_suites().end()),
                         [](const auto& info) { return std::string(info.param->name); });

TEST(EvalScore, IsTheShareOfTheAnswersThatAreSaid) {
  const EvalCase c{.prompt = {}, .answers = {"123", "456", "789", "555"}};
  EXPECT_EQ(c.score(" 123 and 789."), 0.5);
  EXPECT_EQ(c.score(""), 0);
  EXPECT_EQ(c.score("555, 789, 456, 123"), 1);
}

TEST(EvalScore, EndsAtTheFirstMistakeWhereOrderCounts) {
  const EvalCase c{.prompt = {}, .answers = {"one", "two", "three", "four"}, .in_order = true};
  EXPECT_EQ(c.score(" one two three four five"), 1);
  EXPECT_EQ(c.score(" one two four three"), 0.5);
  EXPECT_EQ(c.score(" two three four"), 0);
  EXPECT_EQ(c.score(" one, two"), 0.25);
}

TEST(EvalScore, TakesAListWhereItMayBeOne) {
  const EvalCase c{.prompt = {}, .answers = {"one", "two", "three"}, .in_order = true, .between = " ,*\n"};
  EXPECT_EQ(c.score("* one\n* two, three"), 1);
  EXPECT_EQ(c.score("one; two"), 1.0 / 3);
}

// The continuation of a prompt, of the text if there is one.
class PredictedText : public testing::Test {
 protected:
  EvalCase make(int64_t length, const std::optional<std::string>& given = {}, uint64_t seed = 1) const {
    Rng rng(seed);
    return find_eval_suite("perplexity").make(EvalText(*model_.loaded(), given), length, rng);
  }
  static std::string long_text() {
    std::string out;
    for (int i = 0; i < 500; ++i) out += " " + std::to_string(i);
    return out;
  }

  Model model_ = Model::embedded();
};

TEST_F(PredictedText, IsMadeOfFactsThatComeAgain) {
  const EvalText text(*model_.loaded());
  int facts = 0;
  for (uint64_t seed = 0; seed < 5; ++seed) {
    const EvalCase c = make(600, {}, seed);
    EXPECT_EQ(std::ssize(c.prompt), 600);
    const std::string prompt = text.decode(c.prompt), follows = text.decode(c.follows), all = prompt + follows;
    const std::regex fact(" The special magic number for \\w+ \\w+ is: \\d{7}\\.");
    for (std::sregex_iterator it(follows.begin(), follows.end(), fact), end; it != end; ++it, ++facts)
      EXPECT_LT(all.find(it->str()), prompt.size()) << it->str();
  }
  EXPECT_GE(facts, 5);
}

TEST_F(PredictedText, IsAStretchOfTheUsers) {
  const EvalText text(*model_.loaded(), long_text());
  const EvalText::Tokens& given = *text.given();
  std::vector<size_t> places;
  for (uint64_t seed = 0; seed < 4; ++seed) {
    const EvalCase c = make(300, long_text(), seed);
    EvalText::Tokens all = c.prompt;
    all.insert(all.end(), c.follows.begin(), c.follows.end());
    ASSERT_EQ(all.size(), 364u);
    const auto begin = std::ssize(text.begin());
    EXPECT_TRUE(std::equal(text.begin().begin(), text.begin().end(), all.begin()));
    const auto at = std::search(given.begin(), given.end(), all.begin() + begin, all.end());
    ASSERT_NE(at, given.end());
    places.push_back(static_cast<size_t>(at - given.begin()));
  }
  std::ranges::sort(places);
  EXPECT_GT(places.back(), places.front() + 64) << "all at one place";
}

TEST_F(PredictedText, TakesAllOfATextThatIsJustLongEnough) {
  const EvalText text(*model_.loaded(), long_text());
  const int64_t longest = std::ssize(*text.given()) + std::ssize(text.begin()) - 64;
  EXPECT_EQ(make(longest, long_text()).follows.back(), text.given()->back());
  const Error e = test::error_of([&] { make(longest + 1, long_text()); });
  EXPECT_EQ(e.code(), Errc::kBadInput);
  EXPECT_THAT(e.what(), testing::HasSubstr(fmt::format("the text has {} tokens", text.given()->size())));
}

TEST(EvalSuites, AreFoundByName) {
  EXPECT_EQ(find_eval_suite("needle").name, "needle");
  const Error e = test::error_of([] { find_eval_suite("hay"); });
  EXPECT_EQ(e.code(), Errc::kBadInput);
  EXPECT_NE(std::string(e.what()).find("copy"), std::string::npos);
}

}  // namespace
}  // namespace skald::eval_suite_test
