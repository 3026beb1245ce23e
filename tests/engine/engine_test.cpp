// The engine's contract for single requests: lengths, ends, wrong input, and several engines at once.
#include "skald/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <thread>

#include "tests/engine/requests.h"
#include "tests/support/errors.h"
#include "tests/support/joining_thread.h"

namespace skald {
namespace {

using test::error_of;
using test::story;
using test::story_model;
using testing::HasSubstr;

int64_t n_ids(std::string_view text) { return static_cast<int64_t>(story_model().tokenize(text).size()); }

EngineOptions two_threads(int n_ctx = 0) {
  return {.device = {.n_threads = 2}, .cache = {.n_ctx = n_ctx}, .schedule = {.n_parallel = 2}};
}

TEST(Engine, GeneratesAsManyTokensAsAskedFor) {
  Engine engine(story_model(), two_threads());
  for (const int n : {0, 1, 2, 17}) {
    const Result r = engine.generate(story("Once upon a time", n));
    EXPECT_EQ(r.tokens.size(), static_cast<size_t>(n));
    EXPECT_EQ(r.finish, FinishReason::kLength);
    EXPECT_EQ(r.error, "");
    EXPECT_EQ(r.timing.n_prompt, n_ids("Once upon a time"));
    EXPECT_EQ(r.timing.n_generated, n);
    EXPECT_EQ(r.text, story_model().detokenize(r.tokens));
  }
}

TEST(Engine, ReportsTimesThatMakeSense) {
  Engine engine(story_model(), two_threads());
  const Timing t = engine.generate(story("Once upon a time", 8)).timing;
  EXPECT_GT(t.prompt_seconds, 0);
  EXPECT_GT(t.generate_seconds, 0);
}

TEST(Engine, GivesTheMostLikelyTokensAtEachPlaceWithTheirLogProbabilities) {
  Engine engine(story_model(), two_threads());
  Request request = story("Once upon a time", 5);
  request.top_log_probs = 3;
  std::vector<std::vector<TokenLogProb>> heard;
  request.on_event = [&](const Event& e) {
    if (e.token >= 0) heard.emplace_back(e.top_log_probs.begin(), e.top_log_probs.end());
  };
  const Result r = engine.generate(request);
  ASSERT_EQ(r.top_log_probs.size(), 5u);
  ASSERT_EQ(heard.size(), 5u);
  double sum = 0;
  for (size_t i = 0; i < 5; ++i) {
    const std::vector<TokenLogProb>& top = r.top_log_probs[i];
    ASSERT_EQ(top.size(), 3u);
    EXPECT_EQ(top[0].token, r.tokens[i]) << "greedy";
    EXPECT_EQ(top[0].log_prob, r.log_probs[i]);
    EXPECT_GE(top[0].log_prob, top[1].log_prob);
    EXPECT_GE(top[1].log_prob, top[2].log_prob);
    EXPECT_LE(top[0].log_prob, 0);
    EXPECT_EQ(heard[i][2].token, top[2].token);
    sum += r.log_probs[i];
  }
  EXPECT_EQ(r.log_prob, sum);
}

TEST(Engine, ASamplerThatFindsNoTokenEndsItsRequestOnly) {
  Engine engine(story_model(), two_threads());
  Request none = story("Once upon a time", 5);
  for (TokenId id = 0; id < story_model().n_vocab(); ++id)
    none.sampling.logit_bias.push_back({id, -std::numeric_limits<float>::infinity()});
  Submission bad = engine.submit(none), good = engine.submit(story("Once upon a time", 5));
  const Result failed = test::wait_for(bad.result), fine = test::wait_for(good.result);
  EXPECT_EQ(failed.finish, FinishReason::kError);
  EXPECT_EQ(failed.code, Errc::kBadInput);
  EXPECT_THAT(failed.error, testing::HasSubstr("no candidate is left"));
  EXPECT_EQ(fine.finish, FinishReason::kLength);
  EXPECT_EQ(fine.tokens, engine.generate(story("Once upon a time", 5)).tokens);
}

TEST(Engine, EndsAtTheEndTokenUnlessToldToDrawNone) {
  Engine engine(story_model(), two_threads(4096));
  Request request = story("Once upon a time", 3000);
  request.ignore_eos = false;
  request.sampling = {.seed = 1};
  const Result ended = engine.generate(request);
  ASSERT_EQ(ended.finish, FinishReason::kEnd);
  constexpr TokenId kEndOfText = 0;
  EXPECT_THAT(ended.tokens, testing::Not(testing::Contains(kEndOfText)));

  request.ignore_eos = true;
  request.max_tokens = static_cast<int>(ended.tokens.size()) + 5;
  const Result longer = engine.generate(request);
  EXPECT_EQ(longer.finish, FinishReason::kLength);
  EXPECT_THAT(longer.tokens, testing::Not(testing::Contains(kEndOfText)));
  EXPECT_EQ(longer.tokens.size(), ended.tokens.size() + 5);
  EXPECT_EQ(std::vector(longer.tokens.begin(), longer.tokens.begin() + static_cast<int64_t>(ended.tokens.size())),
            ended.tokens);
}

TEST(Engine, StopsWhenTheContextIsFull) {
  Engine engine(story_model(), two_threads(70));  // more than a page of keys, less than two
  EXPECT_EQ(engine.n_ctx(), 70);
  const Result r = engine.generate(story("Once upon a time", -1));
  EXPECT_EQ(r.finish, FinishReason::kContext);
  EXPECT_EQ(static_cast<int64_t>(r.tokens.size()), 70 - n_ids("Once upon a time"));
}

TEST(Engine, EndsATextWhereTheCallbackSaysSo) {
  Engine engine(story_model(), two_threads());
  Request request = story("Once upon a time", 50);
  int n = 0;
  request.on_event = [&](const Event& e) { e.stop = e.token >= 0 && ++n == 3; };
  const Result r = engine.generate(request);
  EXPECT_EQ(r.finish, FinishReason::kStop);
  EXPECT_EQ(r.tokens.size(), 3u);
  EXPECT_EQ(r.stop_text, "");
}

TEST(Engine, TakesPromptsAsLongAsTheContextAndNoLonger) {
  Engine engine(story_model(), two_threads(8));
  Request request = story("", 100);
  request.prompt.assign(8, 300);
  const Result r = engine.generate(request);
  EXPECT_EQ(r.tokens.size(), 1u);
  EXPECT_EQ(r.finish, FinishReason::kContext);

  request.prompt.push_back(300);
  const Error e = error_of([&] { engine.submit(request); });
  EXPECT_EQ(e.code(), Errc::kBadInput);
  EXPECT_STREQ(e.what(), "the prompt has 9 tokens, the context 8");
}

TEST(Engine, HasTheModelsContextUnlessTold) {
  Engine engine(story_model(), two_threads());
  EXPECT_EQ(engine.n_ctx(), story_model().n_ctx_train());
}

TEST(Engine, AccountsForItsMemory) {
  Engine engine(story_model(), two_threads());
  EXPECT_EQ(engine.kv_bytes(), 0) << "pages are made when needed";
  engine.generate(story("Once upon a time", 2));
  EXPECT_GT(engine.kv_bytes(), 0);
  EXPECT_GT(engine.work_bytes(), 0);
  const int64_t once = engine.kv_bytes();
  engine.generate(story("Once upon a time", 2));
  EXPECT_EQ(engine.kv_bytes(), once) << "pages are used again";
}

TEST(Engine, RefusesWrongRequestsByName) {
  Engine engine(story_model(), two_threads());
  struct Case {
    const char* wants;
    std::function<void(Request&)> spoil;
  };
  const std::vector<Case> cases = {
      {"prompt", [](Request& r) { r.prompt.clear(); }},
      {"token id -1", [](Request& r) { r.prompt.push_back(-1); }},
      {"outside the vocabulary", [](Request& r) { r.prompt.push_back(static_cast<TokenId>(story_model().n_vocab())); }},
      {"max_tokens", [](Request& r) { r.max_tokens = -2; }},
      {"stop",
       [](Request& r) {
         r.stop = {"a", ""};
       }},
      {"stop", [](Request& r) { r.stop.assign(257, "a"); }},
      {"sampling.temperature", [](Request& r) { r.sampling.temperature = -1; }},
      {"sampling.top_p", [](Request& r) { r.sampling.top_p = 2; }},
      {"sampling.logit_bias",
       [](Request& r) {
         r.sampling.logit_bias = {{1 << 30, 1}};
       }},
      {"top_log_probs", [](Request& r) { r.top_log_probs = 1001; }},
  };
  for (const Case& c : cases) {
    Request request = story("Once", 1);
    c.spoil(request);
    const Error e = error_of([&] { engine.submit(request); });
    EXPECT_EQ(e.code(), Errc::kBadInput) << c.wants;
    EXPECT_THAT(e.what(), HasSubstr(c.wants));
  }
  EXPECT_EQ(engine.generate(story("Once", 1)).finish, FinishReason::kLength) << "and goes on";
}

TEST(Engine, RefusesWrongOptionsByName) {
  struct Case {
    const char* name;
    EngineOptions options;
  };
  const std::vector<Case> cases = {
      {"cache.n_ctx", {.cache = {.n_ctx = -1}}},
      {"schedule.n_parallel", {.schedule = {.n_parallel = 0}}},
      {"schedule.n_parallel", {.schedule = {.n_parallel = 5000}}},
      {"device.n_threads:", {.device = {.n_threads = -1}}},
      {"device.n_threads:", {.device = {.n_threads = 5000}}},
      {"device.n_threads_batch", {.device = {.n_threads_batch = -1}}},
      {"device.cpu_range", {.device = {.cpu_range = "8000"}}},
      {"device.cpu_range", {.device = {.cpu_range = "one"}}},
      {"device.numa", {.device = {.numa = "mirror"}}},
      {"schedule.n_batch", {.schedule = {.n_batch = 0}}},
      {"schedule.n_ubatch", {.schedule = {.n_ubatch = 0}}},
      {"schedule.n_ubatch", {.schedule = {.n_ubatch = 65537}}},
      {"cache.type_k", {.cache = {.type_k = "q9"}}},
      {"cache.type_v", {.cache = {.type_v = ""}}},
  };
  for (const Case& c : cases) {
    const Error e = error_of([&] { Engine engine(story_model(), c.options); });
    EXPECT_EQ(e.code(), Errc::kBadInput) << c.name;
    EXPECT_THAT(e.what(), HasSubstr(c.name));
  }
}

TEST(Engine, RunsBesideAnotherOneInTheSameProcess) {
  Engine a(story_model(), two_threads());
  Engine b(Model::embedded(), {.device = {.n_threads = 1},
                               .cache = {.type_k = "f32", .type_v = "f32"},
                               .schedule = {.n_parallel = 1, .n_ubatch = 3}});
  const Result alone_a = a.generate(story("The cat", 40)), alone_b = b.generate(story("A dog", 40));
  Result together_a, together_b;
  {
    test::JoiningThread thread_a([&] { together_a = a.generate(story("The cat", 40)); });
    test::JoiningThread thread_b([&] { together_b = b.generate(story("A dog", 40)); });
  }
  EXPECT_EQ(together_a.tokens, alone_a.tokens);
  EXPECT_EQ(together_b.tokens, alone_b.tokens);
}

TEST(Engine, OutlivesItsModelObject) {
  auto model = std::make_unique<Model>(Model::embedded());
  Engine engine(*model, two_threads());
  model.reset();
  EXPECT_EQ(engine.generate(story("Once", 3)).tokens.size(), 3u);
}

TEST(Engine, TakesRequestsFromManyThreads) {
  Engine engine(story_model(), two_threads());
  const std::vector<TokenId> want = engine.generate(story("Once", 5)).tokens;
  std::vector<test::JoiningThread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 4; ++i) EXPECT_EQ(engine.generate(story("Once", 5)).tokens, want);
    });
}

}  // namespace
}  // namespace skald
