// Log-probabilities of a prompt's tokens: those that generating them gave, in any chunks, beside others, before a text or
// alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "skald/engine.h"
#include "tests/engine/fake_stepper.h"
#include "tests/engine/requests.h"
#include "tests/support/errors.h"

namespace skald {
namespace {

using test::error_of;
using test::story;
using test::story_model;

constexpr double kRounding = 1e-3;  // the keys are floats, whose products differ little between prompts and generated rows

EngineOptions options(int ubatch = 512) {
  return {.device = {.n_threads = 2},
          .cache = {.n_ctx = 1024, .type_k = "f32", .type_v = "f32", .total_keys = 4096, .share_prefixes = true},
          .schedule = {.n_parallel = 4, .n_ubatch = ubatch}};
}

// A prompt, and what the model wrote after it with its log-probabilities.
struct Written {
  Request prompt = {};
  Result result = {};

  explicit Written(Engine& engine, int n = 150) {
    prompt = story("Once upon a time", n);
    prompt.ignore_eos = true;
    prompt.top_log_probs = 2;
    result = engine.generate(prompt);
  }
  /// All of it as a prompt whose log-probabilities are asked for.
  Request whole(int max_tokens) const {
    Request out = prompt;
    out.prompt.insert(out.prompt.end(), result.tokens.begin(), result.tokens.end());
    out.max_tokens = max_tokens;
    out.prompt_log_probs = true;
    return out;
  }
  void expect_same(const Result& got) const {
    const size_t before = prompt.prompt.size() - 1;
    ASSERT_EQ(got.prompt_log_probs.size(), before + result.tokens.size());
    ASSERT_EQ(got.prompt_top_log_probs.size(), got.prompt_log_probs.size());
    for (size_t i = 0; i < result.tokens.size(); ++i) {
      EXPECT_NEAR(got.prompt_log_probs[before + i], result.log_probs[i], kRounding) << i;
      ASSERT_EQ(got.prompt_top_log_probs[before + i].size(), 2u) << i;
      EXPECT_NEAR(got.prompt_top_log_probs[before + i][0].log_prob, result.top_log_probs[i][0].log_prob, kRounding) << i;
    }
  }
};

TEST(PromptLogProbs, AreThoseOfGeneratingTheTokens) {
  Engine engine(story_model(), options());
  const Written written(engine);
  const Result got = engine.generate(written.whole(3));
  written.expect_same(got);
  EXPECT_EQ(got.tokens.size(), 3u);
  EXPECT_EQ(got.log_probs.size(), 3u);
}

TEST(PromptLogProbs, NeedNoTextAndTakeNothingFromTheCache) {
  Engine engine(story_model(), options());
  const Written written(engine);
  for (int i = 0; i < 2; ++i) {
    const Result got = engine.generate(written.whole(0));
    written.expect_same(got);
    EXPECT_TRUE(got.tokens.empty());
    EXPECT_EQ(got.finish, FinishReason::kLength);
    EXPECT_EQ(got.timing.n_cached, 0);
  }
}

TEST(PromptLogProbs, DoNotDependOnChunksAndNeighbours) {
  Engine one(story_model(), options()), many(story_model(), options(16));
  const Written written(one);
  const std::vector<double> alone = one.generate(written.whole(0)).prompt_log_probs;
  EXPECT_EQ(many.generate(written.whole(0)).prompt_log_probs, alone);
  std::vector<Submission> others;
  for (int i = 0; i < 3; ++i) others.push_back(one.submit(story("The dog ran to the", 60)));
  const Result beside = one.generate(written.whole(2));
  EXPECT_EQ(beside.prompt_log_probs, alone);
  for (Submission& other : others) EXPECT_EQ(other.result.get().error, "");
}

TEST(PromptLogProbs, LeaveTheTextAsItIs) {
  Engine engine(story_model(), options());
  Request plain = story("Once upon a time there was a", 20);
  plain.cache_prompt = false;
  Request asked = plain;
  asked.prompt_log_probs = true;
  EXPECT_EQ(engine.generate(asked).tokens, engine.generate(plain).tokens);
  EXPECT_TRUE(engine.generate(plain).prompt_log_probs.empty());
}

TEST(PromptLogProbs, AreOnceForSeveralTexts) {
  Engine engine(story_model(), options());
  Request request = story("Once upon a time", 4);
  request.prompt_log_probs = true;
  request.n = 3;
  const Result got = engine.generate(request);
  EXPECT_EQ(got.prompt_log_probs.size(), request.prompt.size() - 1);
  ASSERT_EQ(got.others.size(), 2u);
  EXPECT_EQ(got.others[1].tokens.size(), 4u);
}

TEST(PromptLogProbs, OfOneTokenAreNone) {
  Engine engine(story_model(), options());
  Request request = story("", 0);
  request.prompt = {1};
  request.prompt_log_probs = true;
  EXPECT_TRUE(engine.generate(request).prompt_log_probs.empty());
}

TEST(PromptLogProbs, OfAPromptThatWasNotReadAreNone) {
  test::Driver d(0);
  Request request{.prompt = std::vector<TokenId>(300, 1), .max_tokens = 1, .prompt_log_probs = true, .sampling = {}};
  std::future<Result> result = d.submit(request);
  for (int i = 0; i < 2; ++i) d.loop->step();
  d.loop->cancel(1);
  EXPECT_TRUE(result.get().prompt_log_probs.empty());
  EXPECT_EQ(d.generate(request).prompt_log_probs.size(), 299u);
}

TEST(PromptLogProbs, DoNotGoWithConversations) {
  Engine engine(story_model(), options());
  Request request = story("Once", 1);
  request.prompt_log_probs = true;
  request.conversation = 1;
  EXPECT_EQ(error_of([&] { engine.generate(request); }).code(), Errc::kBadInput);
}

}  // namespace
}  // namespace skald
