// Made-up tasks: as long as they were asked for, the same for a seed, with the answer in the prompt; and how answers count.
#include "tools/eval/eval_suite.h"

#include <gtest/gtest.h>

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

TEST_P(EverySuite, HasItsAnswersInThePrompt) {
  const EvalCase c = make(1000, 2);
  ASSERT_FALSE(c.answers.empty());
  const std::string prompt = text().decode(c.prompt);
  for (const std::string& answer : c.answers) EXPECT_NE(prompt.find(answer), prompt.npos) << answer;
}

TEST_P(EverySuite, IsTheSameForASeedAndAnotherForAnother) {
  EXPECT_EQ(make(500, 3).prompt, make(500, 3).prompt);
  EXPECT_NE(make(500, 3).prompt, make(500, 4).prompt);
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
}

TEST(EvalSuites, AreFoundByName) {
  EXPECT_EQ(find_eval_suite("needle").name, "needle");
  const Error e = test::error_of([] { find_eval_suite("hay"); });
  EXPECT_EQ(e.code(), Errc::kBadInput);
  EXPECT_NE(std::string(e.what()).find("copy"), std::string::npos);
}

}  // namespace
}  // namespace skald::eval_suite_test
