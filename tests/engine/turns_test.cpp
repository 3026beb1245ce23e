// Who runs beside whom, and who waits.
#include <gtest/gtest.h>

#include "tests/engine/fake_stepper.h"
#include "tests/engine/guessing.h"
#include "tests/engine/some_tokens.h"

namespace skald::turns_test {
namespace {

using test::Driver;
using test::some;

Request asks(int64_t prompt, uint64_t seed, int n = 5) {
  return {.prompt = some(prompt, seed), .max_tokens = n, .reuse_generated = false, .sampling = {.seed = 7}, .on_event = {}};
}

LoopOptions options(int64_t n_parallel) {
  return {.limits = {.n_ctx = 900}, .n_parallel = n_parallel, .rows = 200, .share_prefixes = true};
}

bool is_over(const std::future<Result>& result) {
  return result.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

TEST(FairOrder, AreTakenByEachTextOfARequest) {
  Driver d(0, options(1));
  std::vector<std::string> ended;
  const auto submit = [&](const std::string& owner, int texts) {
    Request r = asks(30, 1);
    r.owner = owner;
    r.n = texts;
    r.on_event = [&ended, owner](const Event& e) {
      if (e.finish != FinishReason::kNone) ended.push_back(owner);
    };
    d.submit(std::move(r));
  };
  submit("many", 3);
  submit("one", 1);
  submit("one", 1);
  ASSERT_TRUE(d.run());
  EXPECT_EQ(ended, (std::vector<std::string>{"many", "one", "many", "one", "many"}));
}

TEST(Waiting, IsToldWithTheNumberOfThoseBefore) {
  Driver d(0, options(1));
  std::vector<std::string> told;
  for (const std::string name : {"a", "b", "c"}) {
    Request r = asks(30, 1);
    r.on_wait = [&told, name](int64_t before) { told.push_back(name + std::to_string(before)); };
    r.on_start = [&told, name](int64_t) { told.push_back(name + " begins"); };
    d.submit(std::move(r));
  }
  ASSERT_TRUE(d.run());
  EXPECT_EQ(told, (std::vector<std::string>{"a begins", "b0", "c1", "b begins", "c0", "c begins"}));
}

// No request waits for a turn that it may not take over.
TEST(FairOrder, OfAPromptThatOthersReadComeAtOnceWhereTheyDoNotShare) {
  const Request first = asks(190, 1);
  Request scope = first, generated = first;
  scope.scope = "another";
  generated.reuse_generated = true;
  for (const Request& other : {scope, generated}) {
    LoopOptions o = options(2);
    o.rows = 400;
    Driver d(0, o);
    std::future<Result> a = d.submit(first), b = d.submit(other);
    d.loop->step();
    EXPECT_EQ(d.stepper.most_items, 2);
    ASSERT_TRUE(d.run());
    EXPECT_EQ(a.get().tokens, b.get().tokens);
  }
}

// Eight pages: four of a request that is held, two of one that goes on, and five that a third one needs.
TEST(FairOrder, NeedNotWaitForPagesOfThoseThatAreHeld) {
  Driver d(440, options(2));
  std::future<Result> held = d.submit(asks(200, 1, 20));
  for (int i = 0; i < 3; ++i) d.loop->step();
  d.loop->pause(1);
  std::future<Result> slow = d.submit(asks(20, 2, 60));
  d.loop->step();
  std::future<Result> needs = d.submit(asks(300, 3, 5));
  while (!is_over(needs) && !is_over(slow)) d.loop->step();
  ASSERT_TRUE(is_over(needs));
  EXPECT_FALSE(is_over(slow));
  EXPECT_EQ(needs.get().error, "");
  EXPECT_EQ(d.loop->status().preemptions, 1);
  d.loop->resume(1);
  ASSERT_TRUE(d.run());
  EXPECT_EQ(held.get().tokens, Driver(0).generate(asks(200, 1, 20)).tokens);
}

// A conversation that must wait for room keeps what it has.
TEST(FairOrder, OfAConversationThatWaitsLoseNothing) {
  Driver d(640, {.limits = {.n_ctx = 900}, .n_parallel = 4, .rows = 100});
  Request turn = asks(100, 1);
  turn.conversation = 1;
  turn.reuse_generated = true;
  const Result first = d.generate(turn);
  std::future<Result> large = d.submit(asks(500, 2));
  d.loop->step();
  turn.prompt.insert(turn.prompt.end(), first.tokens.begin(), first.tokens.end());
  const test::Tokens more = some(250, 3);
  turn.prompt.insert(turn.prompt.end(), more.begin(), more.end());
  std::future<Result> second = d.submit(turn);
  d.loop->step();
  EXPECT_EQ(d.loop->waiting(), 1);
  ASSERT_TRUE(d.run());
  EXPECT_EQ(second.get().timing.n_cached, 104);
}

// Four pages for two texts, which have room for their tokens and not for all guesses.
TEST(FairOrder, AreNotLostToGuesses) {
  LoopOptions o{.limits = {.n_ctx = 600}, .n_parallel = 2, .rows = 200};
  o.drafts = test::guessing([](std::span<const TokenId>) { return std::vector<TokenId>(60, 1); });
  Driver d(222, o);
  std::future<Result> a = d.submit(asks(60, 1, 60)), b = d.submit(asks(60, 2, 60));
  ASSERT_TRUE(d.run());
  EXPECT_EQ(d.loop->status().preemptions, 0);
  EXPECT_EQ(a.get().tokens, Driver(0).generate(asks(60, 1, 60)).tokens);
  EXPECT_EQ(b.get().tokens, Driver(0).generate(asks(60, 2, 60)).tokens);
}

// Twelve pages: a text that ends later than another was used later.
TEST(FairOrder, ThatEndLastLeaveWhatStaysLongest) {
  Driver d(640, options(2));
  const Request slow = asks(190, 1, 40), quick = asks(200, 2, 2);
  std::future<Result> a = d.submit(slow);
  for (int i = 0; i < 3; ++i) d.loop->step();
  std::future<Result> b = d.submit(quick);
  ASSERT_TRUE(d.run());
  d.generate(asks(560, 3));
  EXPECT_EQ(d.generate(slow).timing.n_cached, 128);
  EXPECT_LT(d.generate(quick).timing.n_cached, 192);
}

}  // namespace
}  // namespace skald::turns_test
