// How requests end early: cancelled from anywhere, with callbacks that misbehave, or with the engine.
#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <thread>

#include "tests/engine/requests.h"

namespace skald {
namespace {

using test::endless_story;
using test::kLongContext;
using test::ready;
using test::story;
using test::story_model;
using test::wait_for;

EngineOptions options(int n_parallel = 2) {
  return {.device = {.n_threads = 2}, .cache = {.n_ctx = kLongContext}, .schedule = {.n_parallel = n_parallel}};
}

// Calls `then` on the engine's thread at the n-th token of a request.
std::function<void(const Event&)> at_token(int n, std::function<void()> then) {
  return [n, then = std::move(then), seen = 0](const Event& e) mutable {
    if (e.token >= 0 && ++seen == n) then();
  };
}

TEST(Cancel, FromAnotherThreadEndsARunningRequestWithWhatThereIs) {
  Engine engine(story_model(), options());
  std::promise<void> begun;
  Request r = endless_story();
  r.on_event = at_token(3, [&] { begun.set_value(); });
  Submission s = engine.submit(std::move(r));
  begun.get_future().wait();
  engine.cancel(s.id);
  const Result result = wait_for(s.result);
  EXPECT_EQ(result.finish, FinishReason::kCancelled);
  EXPECT_GE(result.tokens.size(), 3u);
  EXPECT_EQ(result.text, story_model().detokenize(result.tokens));
  EXPECT_EQ(engine.generate(story("Once", 3)).tokens.size(), 3u) << "the engine goes on";
}

TEST(Cancel, ByWhoeverWaitsEndsARunningRequestWithWhatThereIs) {
  Engine engine(story_model(), options());
  std::atomic<int> n = 0;
  Request r = endless_story();
  r.on_event = [&](const Event&) { ++n; };
  const Result result = engine.generate(std::move(r), [&] { return n >= 3; });
  EXPECT_EQ(result.finish, FinishReason::kCancelled);
  EXPECT_GE(result.tokens.size(), 3u);
  EXPECT_EQ(engine.generate(story("Once", 3), [] { return false; }).tokens.size(), 3u);
}

TEST(Cancel, FromTheCallbackEndsTheRequestAfterThatToken) {
  Engine engine(story_model(), options());
  std::atomic<RequestId> id{0};
  Request r = endless_story();
  r.on_event = at_token(5, [&] {
    while (!id) std::this_thread::yield();
    engine.cancel(id);
  });
  Submission s = engine.submit(std::move(r));
  id = s.id;
  const Result result = wait_for(s.result);
  EXPECT_EQ(result.finish, FinishReason::kCancelled);
  EXPECT_EQ(result.tokens.size(), 5u);
}

TEST(Cancel, EndsARequestThatStillWaits) {
  Engine engine(story_model(), options(1));
  Submission running = engine.submit(endless_story());
  int events = 0;
  Request r = endless_story();
  r.on_event = [&](const Event& e) {
    ++events;
    EXPECT_EQ(e.finish, FinishReason::kCancelled);
  };
  Submission waiting = engine.submit(std::move(r));
  engine.cancel(waiting.id);
  const Result result = wait_for(waiting.result);
  EXPECT_EQ(result.finish, FinishReason::kCancelled);
  EXPECT_TRUE(result.tokens.empty());
  EXPECT_EQ(events, 1);
  EXPECT_FALSE(ready(running.result));
}

TEST(Cancel, DuringALongPromptEndsTheRequestBeforeItsFirstToken) {
  EngineOptions o = options();
  o.schedule.n_ubatch = 4;
  Engine engine(story_model(), o);
  Request r = endless_story();
  r.prompt.assign(20000, 300);
  Submission s = engine.submit(std::move(r));
  while (engine.kv_bytes() == 0) std::this_thread::yield();  // a part of the prompt is computed
  engine.cancel(s.id);
  const Result result = wait_for(s.result);
  EXPECT_EQ(result.finish, FinishReason::kCancelled);
  EXPECT_TRUE(result.tokens.empty());
}

TEST(Cancel, IsHarmlessForUnknownAndFinishedRequests) {
  Engine engine(story_model(), options());
  engine.cancel(12345);
  Submission s = engine.submit(story("Once", 2));
  EXPECT_EQ(wait_for(s.result).finish, FinishReason::kLength);
  engine.cancel(s.id);
  engine.cancel(s.id);
  EXPECT_EQ(engine.generate(story("Once", 2)).finish, FinishReason::kLength);
}

TEST(Cancel, LeavesOtherRequestsAsTheyWere) {
  Engine engine(story_model(), options());
  const std::vector<TokenId> want = engine.generate(story("The cat", 60)).tokens;
  Submission other = engine.submit(endless_story());
  Request r = story("The cat", 60);
  r.on_event = at_token(20, [&] { engine.cancel(other.id); });
  EXPECT_EQ(engine.generate(std::move(r)).tokens, want);
  EXPECT_EQ(wait_for(other.result).finish, FinishReason::kCancelled);
}

TEST(Callback, ThatThrowsHarmsNeitherItsRequestNorTheEngine) {
  Engine engine(story_model(), options());
  const std::vector<TokenId> want = engine.generate(story("Once", 10)).tokens;
  const std::vector<std::function<void(const Event&)>> bad = {[](const Event&) { throw std::runtime_error("no"); },
                                                              [](const Event&) { throw 42; }};
  for (const auto& callback : bad) {
    Request r = story("Once", 10);
    r.on_event = callback;
    EXPECT_EQ(engine.generate(std::move(r)).tokens, want);
  }
  EXPECT_EQ(engine.generate(story("Once", 10)).tokens, want);
}

TEST(Callback, MaySubmitTheNextRequest) {
  Engine engine(story_model(), options());
  std::promise<std::future<Result>> next;
  Request r = story("Once", 4);
  r.on_event = at_token(2, [&] { next.set_value(engine.submit(story("The cat", 4)).result); });
  engine.generate(std::move(r));
  std::future<Result> result = next.get_future().get();
  EXPECT_EQ(wait_for(result).tokens.size(), 4u);
}

TEST(Destruction, CancelsWhatRunsAndWhatWaits) {
  std::vector<std::future<Result>> futures;
  {
    Engine engine(story_model(), options());
    std::promise<void> begun;
    Request first = endless_story();
    first.on_event = at_token(2, [&] { begun.set_value(); });
    futures.push_back(engine.submit(std::move(first)).result);
    for (int i = 0; i < 4; ++i) futures.push_back(engine.submit(endless_story()).result);
    begun.get_future().wait();
  }
  for (std::future<Result>& f : futures) {
    ASSERT_TRUE(ready(f));
    EXPECT_EQ(f.get().finish, FinishReason::kCancelled);
  }
}

TEST(Destruction, RightAfterSubmittingCancelsToo) {
  for (int i = 0; i < 20; ++i) {
    std::future<Result> result;
    {
      Engine engine(story_model(), options());
      result = engine.submit(endless_story()).result;
    }
    ASSERT_TRUE(ready(result));
    EXPECT_EQ(result.get().finish, FinishReason::kCancelled);
  }
}

TEST(Destruction, RefusesRequestsThatACallbackStillSubmits) {
  std::atomic<bool> refused = false;
  {
    std::promise<void> begun;
    std::optional<Engine> engine(std::in_place, story_model(), options());
    Engine& alive = *engine;  // reset() waits for the thread that uses it
    Request r = endless_story();
    r.on_event = [&, token = at_token(1, [&] { begun.set_value(); })](const Event& e) mutable {
      token(e);
      if (e.finish != FinishReason::kCancelled) return;
      try {
        alive.submit(story("Once", 1));
      } catch (const Error&) {
        refused = true;
      }
    };
    engine->submit(std::move(r));
    begun.get_future().wait();
    engine.reset();
  }
  EXPECT_TRUE(refused);
}

TEST(Destruction, OfAnIdleEngineIsQuick) {
  for (int i = 0; i < 20; ++i) Engine engine(story_model(), options());
}

TEST(Submission, WhoseFutureIsDroppedRunsOn) {
  Engine engine(story_model(), options());
  std::promise<void> over;
  Request r = story("Once", 5);
  r.on_event = [&](const Event& e) {
    if (e.finish == FinishReason::kLength) over.set_value();
  };
  { const Submission dropped = engine.submit(std::move(r)); }
  EXPECT_EQ(over.get_future().wait_for(std::chrono::minutes(1)), std::future_status::ready);
}

}  // namespace
}  // namespace skald
