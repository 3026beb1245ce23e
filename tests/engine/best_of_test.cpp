// The best of several drawn texts.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/engine/fake_stepper.h"
#include "tests/engine/requests.h"
#include "tests/engine/some_tokens.h"
#include "tests/support/errors.h"

namespace skald::best_of_test {
namespace {

using test::Driver;
using test::some;

Request draws(int n) { return {.prompt = some(80, 1), .max_tokens = 20, .n = n, .sampling = {.seed = 7}, .on_event = {}}; }

std::vector<Choice> texts_of(const Result& result) {
  std::vector<Choice> out{result};
  out.insert(out.end(), result.others.begin(), result.others.end());
  return out;
}

TEST(BestOf, GivesTheMostProbableOfTheTextsThatAreDrawn) {
  Request all = draws(6), best = draws(2);
  all.log_prob = true;
  best.best_of = 6;
  std::vector<Choice> want = texts_of(Driver(0).generate(all));
  std::ranges::stable_sort(want, std::greater<>(), &Choice::log_prob);  // they are equally long
  const Result got = Driver(0).generate(best);
  const std::vector<Choice> texts = texts_of(got);
  ASSERT_EQ(texts.size(), 2u);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(texts[i].tokens, want[i].tokens);
    EXPECT_DOUBLE_EQ(texts[i].log_prob, want[i].log_prob);
    EXPECT_DOUBLE_EQ(texts[i].score, want[i].log_prob / 20);
  }
  EXPECT_EQ(got.timing.n_generated, 120) << "of all that were drawn";
}

TEST(BestOf, TellsOfThemAtTheEnd) {
  Request best = draws(1);
  best.best_of = 3;
  std::vector<TokenId> told;
  int over = 0;
  best.on_event = [&](const Event& e) {
    EXPECT_EQ(e.branch, 0);
    if (e.token >= 0) told.push_back(e.token);
    over += e.over;
    e.stop = true;  // too late
  };
  EXPECT_EQ(told, std::vector<TokenId>());
  EXPECT_EQ(Driver(0).generate(best).tokens, told);
  EXPECT_EQ(told.size(), 20u);
  EXPECT_EQ(over, 1);
}

TEST(BestOf, AsManyAsAreWantedStayInTheirOrder) {
  Request same = draws(3);
  same.best_of = 3;
  const Result got = Driver(0).generate(same), want = Driver(0).generate(draws(3));
  EXPECT_EQ(got.tokens, want.tokens);
  EXPECT_EQ(got.others[1].tokens, want.others[1].tokens);
}

// A mean over the tokens and the end token: a short text is not the best for its shortness.
TEST(BestOf, ComparesByTheMean) {
  Engine engine(test::story_model(), {.schedule = {.n_parallel = 8}});
  Request r = test::story("Once upon a time", 400);
  r.ignore_eos = false;
  r.sampling = {.temperature = 1, .seed = 3};
  r.n = 7;
  r.best_of = 8;
  const std::vector<Choice> texts = texts_of(engine.generate(r));
  ASSERT_EQ(texts.size(), 7u);
  for (size_t i = 0; i < texts.size(); ++i) {
    const Choice& text = texts[i];
    EXPECT_NEAR(text.score, text.log_prob / static_cast<double>(text.tokens.size() + (text.end_token >= 0)), 1e-12);
    EXPECT_LE(text.score, texts[i == 0 ? 0 : i - 1].score);
  }
}

TEST(BestOf, IsRefusedByName) {
  Engine engine(test::story_model(), {});
  const auto refused = [&](Request r) { return std::string(test::error_of([&] { engine.generate(std::move(r)); }).what()); };
  Request r = test::story("Once", 1);
  r.n = 3;
  r.best_of = 2;
  EXPECT_NE(refused(r).find("best_of"), std::string::npos);
  r.best_of = 1025;
  EXPECT_NE(refused(r).find("best_of"), std::string::npos);
  r.best_of = 4;
  r.conversation = 1;
  EXPECT_NE(refused(r).find("best_of does not go with conversation"), std::string::npos);
}

}  // namespace
}  // namespace skald::best_of_test
