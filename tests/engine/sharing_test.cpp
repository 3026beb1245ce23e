// Requests that share what they compute: how much, with whom, and in which order they run.
#include <gtest/gtest.h>

#include "tests/engine/fake_stepper.h"
#include "tests/engine/some_tokens.h"

namespace skald::sharing_test {
namespace {

using test::Driver;
using test::some;
using test::Tokens;
using test::operator+;

Request asks(Tokens prompt, int n = 5) {
  return {.prompt = std::move(prompt), .max_tokens = n, .reuse_generated = false, .sampling = {.seed = 7}, .on_event = {}};
}

LoopOptions options(int64_t n_parallel = 4) {
  return {.limits = {.n_ctx = 900}, .n_parallel = n_parallel, .rows = 200, .share_prefixes = true};
}

struct Kind {
  const char* name;
  int64_t window;
  bool state;
};
void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

class Sharing : public testing::TestWithParam<Kind> {
 protected:
  static int64_t bound(const Request& r) { return (std::ssize(r.prompt) - 1) / 64 * 64; }
};

TEST_P(Sharing, ARepeatedPromptIsCachedUpToItsLastPage) {
  Driver d(0, options(), GetParam().window, GetParam().state);
  for (const int64_t n : {1, 63, 64, 65, 128, 129, 191, 200, 500, 768}) {
    const Request r = asks(some(n, static_cast<uint64_t>(n)));
    const Result cold = d.generate(r);
    EXPECT_EQ(cold.timing.n_cached, 0);
    int64_t told = -1;
    Request again = r;
    again.on_start = [&](int64_t cached) { told = cached; };
    const Result hit = d.generate(again);
    EXPECT_GE(hit.timing.n_cached, bound(r)) << n;
    EXPECT_EQ(told, hit.timing.n_cached);
    EXPECT_EQ(hit.tokens, cold.tokens);
  }
  EXPECT_EQ(d.loop->status().pages.active, 0);
}

TEST_P(Sharing, PromptsThatAreReadAtTheSameTimeAreReadOnce) {
  Driver d(0, options(), GetParam().window, GetParam().state);
  const Tokens text = some(700, 1);
  std::vector<std::future<Result>> results;
  for (int i = 0; i < 4; ++i) results.push_back(d.submit(asks(text)));
  ASSERT_TRUE(d.run());
  EXPECT_EQ(results[0].get().timing.n_cached, 0);
  for (size_t i = 1; i < 4; ++i) EXPECT_GE(results[i].get().timing.n_cached, 640) << i;
  EXPECT_LE(d.loop->status().prompt_tokens, 700 + 3 * 60);
}

TEST_P(Sharing, APromptGoesOnFromWhatAnotherLeftWhenItWasCancelled) {
  Driver d(0, options(), GetParam().window, GetParam().state);
  const Tokens text = some(700, 1);
  std::future<Result> first = d.submit(asks(text)), second = d.submit(asks(text));
  for (int i = 0; i < 2; ++i) d.loop->step();
  d.loop->cancel(1);
  ASSERT_TRUE(d.run());
  Driver alone(0, {.limits = {.n_ctx = 900}}, GetParam().window, GetParam().state);
  EXPECT_EQ(second.get().tokens, alone.generate(asks(text)).tokens);
}

TEST_P(Sharing, ScopesAndThoseWithoutACacheShareNothing) {
  Driver d(0, options(), GetParam().window, GetParam().state);
  Request r = asks(some(300, 1));
  d.generate(r);
  Request other = r;
  other.scope = "another";
  EXPECT_EQ(d.generate(other).timing.n_cached, 0);
  Request without = r;
  without.cache_prompt = false;
  EXPECT_EQ(d.generate(without).timing.n_cached, 0);
  Request fresh = asks(some(300, 2));
  fresh.cache_prompt = false;
  d.generate(fresh);
  fresh.cache_prompt = true;
  EXPECT_EQ(d.generate(fresh).timing.n_cached, 0) << "it left nothing";
}

TEST_P(Sharing, ReadsAheadWhatTheNextTurnBeginsWith) {
  Driver d(0, options(), GetParam().window, GetParam().state);
  const Tokens text = some(400, 1);
  Request ahead = asks(text);
  ahead.read_ahead = true;
  std::future<Result> read = d.submit(ahead);
  Request busy = asks(some(50, 2), 20);
  std::future<Result> first = d.submit(busy);
  while (first.wait_for(std::chrono::seconds(0)) != std::future_status::ready) d.loop->step();
  EXPECT_EQ(d.loop->status().prompt_tokens_ahead, 0) << "others had rows";
  ASSERT_TRUE(d.run());
  EXPECT_EQ(read.get().finish, FinishReason::kLength);
  const EngineStatus s = d.loop->status();
  EXPECT_EQ(s.prompt_tokens_ahead, 384);
  EXPECT_EQ(s.prompt_tokens, 50);
  EXPECT_EQ(s.pages.active, 0);
  EXPECT_GE(s.pages.cached, 6);
  Driver alone(0, {.limits = {.n_ctx = 900}}, GetParam().window, GetParam().state);
  const Request next = asks(text + some(30, 3));
  const Result hit = d.generate(next);
  EXPECT_EQ(hit.timing.n_cached, 384);
  EXPECT_EQ(hit.tokens, alone.generate(next).tokens);
}

INSTANTIATE_TEST_SUITE_P(Models, Sharing,
                         testing::Values(Kind{"full", 0, false}, Kind{"window", 100, false}, Kind{"state", 0, true},
                                         Kind{"window_and_state", 70, true}),
                         [](const auto& info) { return info.param.name; });

TEST(SharingPages, GoLeastRecentlyUsedFirstAndBeforeAnybodyIsPaused) {
  Driver d(640, options());
  for (uint64_t i = 1; i <= 8; ++i) d.generate(asks(some(250, i)));
  const EngineStatus s = d.loop->status();
  EXPECT_EQ(s.preemptions, 0);
  EXPECT_GT(s.prefix_evictions, 0);
  EXPECT_EQ(d.generate(asks(some(250, 8))).timing.n_cached, 192);
  EXPECT_EQ(d.generate(asks(some(250, 1))).timing.n_cached, 0);
}

TEST(SharingTexts, OfARequestThatWantsThemAreFoundToo) {
  Driver d(0, options());
  Request r = asks(some(100, 1), 120);
  r.reuse_generated = true;
  const Result first = d.generate(r);
  Request next = r;
  next.prompt = r.prompt + first.tokens + some(10, 2);
  EXPECT_EQ(d.generate(next).timing.n_cached, 192);
  next.reuse_generated = false;
  EXPECT_EQ(d.generate(next).timing.n_cached, 0) << "nothing was computed for those who want a prompt's bits";
}

TEST(SpeculativePrefill, StopsWhereSomebodyIsPaused) {
  Driver d(440, options());
  Request ahead = asks(some(100, 1));
  ahead.read_ahead = true;
  std::future<Result> read = d.submit(ahead), a = d.submit(asks(some(150, 2), 150)), b = d.submit(asks(some(150, 3), 150));
  ASSERT_TRUE(d.run());
  EXPECT_GT(d.loop->status().preemptions, 0) << "the test is of no use without pauses";
  EXPECT_EQ(read.get().finish, FinishReason::kCancelled);
}

TEST(SpeculativePrefill, StopsForPagesForTimeAndForNewerOnes) {
  Driver d(640, options());
  const auto ahead = [&](uint64_t seed) {
    Request r = asks(some(300, seed));
    r.read_ahead = true;
    return d.submit(r);
  };
  std::future<Result> late = ahead(1);
  std::future<Result> busy = d.submit(asks(some(20, 2), 30));
  d.loop->step();
  d.now += std::chrono::seconds(59);
  d.loop->step();
  EXPECT_NE(late.wait_for(std::chrono::seconds(0)), std::future_status::ready);
  d.now += std::chrono::seconds(2);
  d.loop->step();
  EXPECT_EQ(late.get().finish, FinishReason::kCancelled);
  std::vector<std::future<Result>> many;
  for (uint64_t i = 0; i < 66; ++i) many.push_back(ahead(10 + i));
  EXPECT_EQ(many[0].get().finish, FinishReason::kCancelled);
  EXPECT_EQ(many[1].get().finish, FinishReason::kCancelled);
  d.loop->cancel(d.id);
  EXPECT_EQ(many[65].get().finish, FinishReason::kCancelled);
  ASSERT_TRUE(d.run());
  EXPECT_EQ(many[64].get().finish, FinishReason::kLength);
}

TEST(Places, ChoicesBeyondThemWaitAsPartOfTheirRequest) {
  Driver d(0, options(2));
  Request r = asks(some(100, 1), 12);
  r.n = 7;
  std::future<Result> many = d.submit(r);
  std::future<Result> other = d.submit(asks(some(90, 2), 12));
  while (!d.loop->idle()) {
    d.loop->step();
    ASSERT_LE(d.stepper.most_items, 2);
  }
  const Result got = many.get();
  ASSERT_EQ(got.others.size(), 6u);
  for (uint64_t i = 0; i < 7; ++i) {
    Request one = asks(some(100, 1), 12);
    one.sampling.seed = 7 + i;
    Driver alone(0);
    EXPECT_EQ((i ? got.others[i - 1].tokens : got.tokens), alone.generate(one).tokens) << i;
  }
  Driver alone(0);
  EXPECT_EQ(other.get().tokens, alone.generate(asks(some(90, 2), 12)).tokens);
}

TEST(Places, GoByPriorityThenByArrivalAndOwnersTakeTurns) {
  Driver d(0, options(1));
  std::vector<int> begun;
  const auto submit = [&](int name, const std::string& owner, int priority) {
    Request r = asks(some(30, static_cast<uint64_t>(name)));
    r.owner = owner;
    r.priority = priority;
    r.on_start = [&begun, name](int64_t) { begun.push_back(name); };
    d.submit(r);
  };
  submit(1, "a", 0);
  d.loop->step();
  submit(2, "a", 0);
  submit(3, "a", 0);
  submit(4, "b", 0);
  submit(5, "a", -3);
  submit(6, "b", 9);
  ASSERT_TRUE(d.run());
  EXPECT_EQ(begun, (std::vector<int>{1, 4, 5, 6, 2, 3}));
}

TEST(Places, AreOrderedByPriorityAmongThoseOfAnOwner) {
  LoopOptions o = options(3);
  o.rows = 100;
  Driver d(0, o);
  std::vector<int> answered;
  const auto submit = [&](int name, const std::string& owner, int priority) {
    Request r = asks(some(250, static_cast<uint64_t>(name)), 1);
    r.owner = owner;
    r.priority = priority;
    r.on_event = [&answered, name](const Event& e) {
      if (e.token >= 0) answered.push_back(name);
    };
    d.submit(r);
  };
  submit(1, "a", 9);
  submit(2, "b", 100);
  submit(3, "a", 5);
  submit(4, "b", 100);
  ASSERT_TRUE(d.run());
  EXPECT_EQ(answered, (std::vector<int>{3, 2, 1, 4}));
}

TEST(Places, OfPausedRequestsGoToOthers) {
  Driver d(0, options(1));
  std::future<Result> slow = d.submit(asks(some(100, 1), 40)), other = d.submit(asks(some(100, 2), 10));
  for (int i = 0; i < 5; ++i) d.loop->step();
  d.loop->pause(1);
  EXPECT_EQ(d.loop->status().paused, 1);
  while (other.wait_for(std::chrono::seconds(0)) != std::future_status::ready) d.loop->step();
  EXPECT_FALSE(d.loop->has_work());
  EXPECT_FALSE(d.loop->idle());
  const int64_t rows = d.stepper.rows;
  d.loop->step();
  EXPECT_EQ(d.stepper.rows, rows) << "nothing is computed";
  d.loop->resume(1);
  ASSERT_TRUE(d.run());
  Driver alone(0);
  EXPECT_EQ(slow.get().tokens, alone.generate(asks(some(100, 1), 40)).tokens);
}

TEST(Places, OfPausedRequestsLeavePagesWhereOthersNeedThem) {
  Driver d(384, options(2));
  std::future<Result> slow = d.submit(asks(some(200, 1), 40));
  for (int i = 0; i < 5; ++i) d.loop->step();
  d.loop->pause(1);
  std::future<Result> needs = d.submit(asks(some(330, 2), 10));
  while (needs.wait_for(std::chrono::seconds(0)) != std::future_status::ready) d.loop->step();
  EXPECT_EQ(needs.get().error, "");
  EXPECT_EQ(d.loop->status().preemptions, 1);
  d.loop->resume(1);
  ASSERT_TRUE(d.run());
  Driver alone(0);
  EXPECT_EQ(slow.get().tokens, alone.generate(asks(some(200, 1), 40)).tokens);
}

// Steps take a millisecond and 10 microseconds a row.
TEST(StepTime, IsKeptWhileSomebodyGenerates) {
  LoopOptions o = options(4);
  o.rows = 512;
  o.max_itl_seconds = 0.004;
  Driver d(0, o);
  d.stepper.ran = [&](int64_t rows) { d.now += std::chrono::microseconds(1000 + 10 * rows); };
  std::future<Result> stream = d.submit(asks(some(20, 1), 100));
  for (int i = 0; i < 10; ++i) d.loop->step();
  const Request large = asks(some(850, 2));
  std::future<Result> read = d.submit(large);
  int64_t longest = 0, steps = 0;
  while (read.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
    const int64_t before = d.stepper.rows;
    d.loop->step();
    longest = std::max(longest, d.stepper.rows - before);
    ++steps;
  }
  EXPECT_GT(steps, 3);
  EXPECT_LE(longest, 300) << "3 ms of rows";
  EXPECT_GE(longest, 128) << "more than a page, once the time of a row is known";
  ASSERT_TRUE(d.run());
  Driver alone(0, {.limits = {.n_ctx = 900}});
  EXPECT_EQ(read.get().tokens, alone.generate(large).tokens);
}

}  // namespace
}  // namespace skald::sharing_test
