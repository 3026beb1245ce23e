// The runner: steps of any mix of sequences give each row the same logits bit for bit, and a step that fails changes
// nothing.
#include "stepping/runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stepping/compute.h"
#include "tests/engine/requests.h"
#include "tests/support/errors.h"

namespace skald {
namespace {

using Numbers = std::vector<float>;

const LoadedModel& model() { return *test::story_model().loaded(); }

class RunnerTest : public testing::Test {
 protected:
  Numbers run(std::vector<StepItem> items) {
    const Logits out = compute_.runner().run(items);
    return {out.all().begin(), out.all().end()};
  }
  Runner& runner() { return compute_.runner(); }

  Compute compute_{
      model(), {.device = {.n_threads = 2}, .cache = {.n_ctx = 100}, .schedule = {.n_parallel = 2}}};  // eight pages in all
  std::vector<TokenId> cat_ = test::story_model().tokenize("The cat sat on the mat");
  std::vector<TokenId> dog_ = test::story_model().tokenize("A big brown dog lived near the river");
};

TEST_F(RunnerTest, GivesLogitsOfTheLastTokensOfEachSequenceInOrder) {
  KvSequence a = runner().new_sequence(), b = runner().new_sequence();
  const Numbers both = run({{&a, cat_, 2}, {&b, dog_, 1}});
  ASSERT_EQ(static_cast<int64_t>(both.size()), 3 * model().n_vocab());
  KvSequence c = runner().new_sequence(), d = runner().new_sequence();
  a.clear();
  b.clear();
  Numbers each = run({{&c, cat_, 2}});
  for (const float x : run({{&d, dog_, 1}})) each.push_back(x);
  EXPECT_EQ(both, each);
}

TEST_F(RunnerTest, MixesPromptsAndDecodeStepsWithoutAnEffectOnTheirLogits) {
  KvSequence alone = runner().new_sequence();
  const Numbers want_dog = run({{&alone, dog_, 1}});
  alone.clear();
  run({{&alone, cat_, 0}});
  const std::vector<TokenId> next = {300};
  const Numbers want_next = run({{&alone, next, 1}});
  alone.clear();

  KvSequence a = runner().new_sequence(), b = runner().new_sequence();
  run({{&a, cat_, 0}});
  Numbers want = want_next;
  want.insert(want.end(), want_dog.begin(), want_dog.end());
  EXPECT_EQ(run({{&a, next, 1}, {&b, dog_, 1}}), want);
}

TEST_F(RunnerTest, RepeatsAStepAfterTruncation) {
  KvSequence s = runner().new_sequence();
  const Numbers first = run({{&s, cat_, 1}});
  run({{&s, dog_, 1}});
  EXPECT_TRUE(s.truncate(static_cast<int64_t>(cat_.size()) - 1));
  EXPECT_EQ(run({{&s, std::span(cat_).last(1), 1}}), first);
}

TEST_F(RunnerTest, CrossesPagesBitForBit) {
  std::vector<TokenId> tokens(90);
  for (size_t i = 0; i < tokens.size(); ++i) tokens[i] = static_cast<TokenId>(200 + 13 * i);
  KvSequence whole = runner().new_sequence();
  const Numbers want = run({{&whole, tokens, 1}});
  whole.clear();
  KvSequence parts = runner().new_sequence();
  run({{&parts, std::span(tokens).first(63), 0}});
  run({{&parts, std::span(tokens).subspan(63, 2), 0}});
  EXPECT_EQ(run({{&parts, std::span(tokens).subspan(65), 1}}), want);
}

TEST_F(RunnerTest, SaysThatTheCacheIsFullAndLeavesTheSequencesAsTheyWere) {
  KvSequence a = runner().new_sequence(), b = runner().new_sequence();
  const Numbers want = run({{&a, cat_, 1}});
  const int64_t taken = runner().kv().pool(0).taken();
  const std::vector<TokenId> many(kPageKeys * 8, 300);
  const Error e = test::error_of([&] { run({{&a, dog_, 1}, {&b, many, 1}}); });
  EXPECT_EQ(e.code(), Errc::kNoMemory);
  EXPECT_THAT(e.what(), testing::HasSubstr("KV cache"));
  EXPECT_EQ(a.length(), static_cast<int64_t>(cat_.size()));
  EXPECT_EQ(b.length(), 0);
  EXPECT_EQ(runner().kv().pool(0).taken(), taken);
  EXPECT_TRUE(a.truncate(a.length() - 1));
  EXPECT_EQ(run({{&a, std::span(cat_).last(1), 1}}), want);
}

TEST_F(RunnerTest, RefusesIdsOutsideTheVocabulary) {
  KvSequence s = runner().new_sequence();
  for (const TokenId id : {-1, static_cast<TokenId>(model().n_vocab())}) {
    const std::vector<TokenId> tokens = {5, id};
    const Error e = test::error_of([&] { run({{&s, tokens, 1}}); });
    EXPECT_EQ(e.code(), Errc::kBadInput);
    EXPECT_THAT(e.what(), testing::HasSubstr(std::to_string(id)));
    EXPECT_EQ(s.length(), 0);
  }
}

TEST_F(RunnerTest, ComputesStepsWithoutOutputs) {
  KvSequence s = runner().new_sequence();
  EXPECT_TRUE(run({{&s, cat_, 0}}).empty());
  EXPECT_EQ(s.length(), static_cast<int64_t>(cat_.size()));
}

TEST_F(RunnerTest, KeepsStatisticsForCosts) {
  KvSequence a = runner().new_sequence(), b = runner().new_sequence();
  run({{&a, cat_, 1}, {&b, dog_, 0}});
  const StepStats& stats = runner().last_stats();
  EXPECT_EQ(stats.n_tokens, static_cast<int64_t>(cat_.size() + dog_.size()));
  EXPECT_EQ(stats.n_outputs, 1);
  EXPECT_EQ(stats.kv_element_bytes_k, 2);
  ASSERT_EQ(stats.sequences.size(), 2u);
}

}  // namespace
}  // namespace skald
