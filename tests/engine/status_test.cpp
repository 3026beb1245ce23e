// An engine beside its requests: what it tells of itself, pauses, and how many may wait.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "tests/engine/requests.h"
#include "tests/support/errors.h"

namespace skald::status_test {
namespace {

using test::endless_story;
using test::error_of;
using test::story;
using test::story_model;
using test::wait_for;
using State = EngineStatus::Slot::State;

EngineOptions options(int64_t n_parallel, int64_t max_waiting = -1) {
  return {.device = {.n_threads = 1},
          .cache = {.n_ctx = 2048, .share_prefixes = true},
          .schedule = {.n_parallel = n_parallel, .max_waiting = max_waiting}};
}

// False after a minute.
bool becomes(const Engine& engine, const std::function<bool(const EngineStatus&)>& so) {
  for (int i = 0; i < 60000; ++i) {
    if (so(engine.status())) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

TEST(Status, TellsOfRequestsTheirPlacesAndPages) {
  Engine engine(story_model(), options(2));
  EngineStatus idle = engine.status();
  EXPECT_EQ(idle.slots.size(), 2u);
  EXPECT_EQ(idle.slots[0].state, State::kIdle);
  EXPECT_EQ(idle.pages.free, idle.pages.total);
  EXPECT_GT(idle.pages.total, 2048 / 64);
  Submission a = engine.submit(endless_story()), b = engine.submit(endless_story()), c = engine.submit(endless_story());
  ASSERT_TRUE(becomes(engine, [](const EngineStatus& s) {
    const auto decodes = [](const EngineStatus::Slot& slot) { return slot.state == State::kDecode; };
    return s.running == 2 && s.waiting == 1 && s.generated_tokens > 3 && std::ranges::all_of(s.slots, decodes);
  }));
  const EngineStatus busy = engine.status();
  EXPECT_EQ(busy.waiting, 1);
  for (const EngineStatus::Slot& slot : busy.slots) {
    EXPECT_EQ(slot.state, State::kDecode);
    EXPECT_GT(slot.request, 0);
    EXPECT_GT(slot.n_prompt, 0);
    EXPECT_GE(slot.pages, 1);
  }
  EXPECT_EQ(busy.pages.total, busy.pages.active + busy.pages.cached + busy.pages.free);
  for (Submission* s : {&a, &b, &c}) engine.cancel(s->id);
  for (Submission* s : {&a, &b, &c}) EXPECT_EQ(wait_for(s->result).finish, FinishReason::kCancelled);
  ASSERT_TRUE(becomes(engine, [](const EngineStatus& s) { return s.running + s.waiting == 0; }));
  EXPECT_EQ(engine.status().pages.active, 0);
  EXPECT_EQ(engine.status().cancelled, 3);
}

TEST(Status, CountsTokensAndSaysHowLongARequestWaited) {
  Engine engine(story_model(), options(1));
  Request r = story("Once upon a time", 10);
  const auto n = std::ssize(r.prompt);
  const Result got = engine.generate(r);
  EXPECT_GE(got.timing.queue_seconds, 0);
  EXPECT_LT(got.timing.queue_seconds, 60);
  ASSERT_TRUE(becomes(engine, [](const EngineStatus& s) { return s.running == 0; }));
  const EngineStatus s = engine.status();
  EXPECT_EQ(s.prompt_tokens, n);
  EXPECT_EQ(s.generated_tokens, 10);
  EXPECT_EQ(s.cached_tokens, 0);
}

TEST(Status, OfEachStepIsTold) {
  std::atomic<int64_t> prompts = 0, generated = 0, steps = 0;
  EngineOptions o = options(1);
  o.on_step = [&](const StepReport& report) {
    prompts += report.prompt_rows;
    generated += report.generated_rows;
    steps += report.seconds >= 0;
  };
  Engine engine(story_model(), o);
  Request r = story("Once upon a time", 10);
  const auto n = std::ssize(r.prompt);
  engine.generate(r);
  EXPECT_EQ(prompts, n);
  EXPECT_EQ(generated, 9);
  EXPECT_EQ(steps, 10);
}

TEST(Queue, TakesNoMoreThanMayWaitBesideFreePlaces) {
  Engine engine(story_model(), options(2, 1));
  std::vector<Submission> taken;
  for (int i = 0; i < 3; ++i) taken.push_back(engine.submit(endless_story()));
  EXPECT_EQ(error_of([&] { engine.submit(endless_story()); }).code(), Errc::kBusy);
  EXPECT_EQ(engine.generate({.prompt = {1}, .max_tokens = 0, .sampling = {}, .on_event = {}}).finish, FinishReason::kLength)
      << "needs no place";
  engine.cancel(taken[0].id);
  wait_for(taken[0].result);
  taken.push_back(engine.submit(endless_story()));
  for (Submission& s : taken) engine.cancel(s.id);
}

TEST(Queue, APlaceIsFreeAsSoonAsItsTextIsOver) {
  Engine engine(story_model(), options(1, 0));
  for (int i = 0; i < 50; ++i) {
    std::promise<void> over;
    Request r = story("Once", 2);
    r.on_event = [&](const Event& e) {
      if (e.finish != FinishReason::kNone) over.set_value();
    };
    Submission s = engine.submit(std::move(r));
    over.get_future().wait();
    Submission next = engine.submit(story("The", 1));
    wait_for(next.result);
    wait_for(s.result);
  }
}

TEST(Pause, StopsATextUntilItIsResumed) {
  Engine engine(story_model(), options(1));
  const std::vector<TokenId> want = engine.generate(story("The cat", 40)).tokens;
  std::atomic<RequestId> id = 0;
  std::promise<void> paused;
  Request r = story("The cat", 40);
  r.on_event = [&, n = 0](const Event&) mutable {
    if (++n != 5) return;
    while (id == 0) std::this_thread::yield();
    engine.pause(id);
    paused.set_value();
  };
  Submission s = engine.submit(std::move(r));
  id = s.id;
  paused.get_future().wait();
  EXPECT_EQ(engine.generate(story("A dog", 5)).tokens.size(), 5u) << "the place is free";
  EXPECT_FALSE(test::ready(s.result));
  EXPECT_TRUE(becomes(engine, [](const EngineStatus& now) { return now.running == 1 && now.paused == 1; }));
  engine.resume(s.id);
  EXPECT_EQ(wait_for(s.result).tokens, want);
}

TEST(Pause, DoesNotKeepARequestFromBeingCancelled) {
  Engine engine(story_model(), options(1));
  Submission s = engine.submit(endless_story());
  engine.pause(s.id);
  engine.cancel(s.id);
  EXPECT_EQ(wait_for(s.result).finish, FinishReason::kCancelled);
  Submission never = engine.submit(endless_story());
  engine.pause(never.id);
}  // the engine ends what is paused

TEST(Engine, ReadsAheadOnlyWhereItShares) {
  EngineOptions o = options(1);
  o.cache.share_prefixes = false;
  Engine engine(story_model(), o);
  Request r = story("Once upon a time", 1);
  r.read_ahead = true;
  EXPECT_THAT(error_of([&] { engine.submit(r); }).what(), testing::HasSubstr("cache.share_prefixes"));
}

TEST(Engine, WritesMoreTextsThanItHasPlaces) {
  Engine engine(story_model(), options(2));
  Request r = story("Once upon a time", 12);
  r.n = 5;
  r.sampling = {.temperature = 1, .seed = 5};
  const Result got = engine.generate(r);
  ASSERT_EQ(got.others.size(), 4u);
  for (uint64_t i = 0; i < 5; ++i) {
    Request one = r;
    one.n = 1;
    one.sampling.seed = 5 + i;
    EXPECT_EQ(engine.generate(one).tokens, i ? got.others[i - 1].tokens : got.tokens) << i;
  }
}

}  // namespace
}  // namespace skald::status_test
