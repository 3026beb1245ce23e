// What fails in a loop, and whom it ends.
#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/engine/fake_stepper.h"
#include "tests/engine/some_tokens.h"

namespace skald::failures_test {
namespace {

using test::Driver;
using test::some;

Request asks(int64_t prompt, int n = 10) {
  return {.prompt = some(prompt, 1), .max_tokens = n, .sampling = {.seed = 7}, .on_event = {}};
}

LoopOptions options() { return {.limits = {.n_ctx = 600}, .n_parallel = 2, .rows = 100}; }

TEST(Failures, OfTheLoopItselfLeaveHeldRequests) {
  LoopOptions o = options();
  bool fails = false;
  o.planned = [&] {
    if (std::exchange(fails, false)) throw std::runtime_error("no");
  };
  Driver d(0, o);
  std::future<Result> held = d.submit(asks(50)), runs = d.submit(asks(50));
  d.loop->step();
  d.loop->pause(1);
  fails = true;
  d.loop->step();
  EXPECT_EQ(runs.get().error, "no");
  d.loop->resume(1);
  ASSERT_TRUE(d.run());
  EXPECT_EQ(held.get().tokens, Driver(0).generate(asks(50)).tokens);
  EXPECT_TRUE(d.all_free());
}

// The keys of the step are there, and its tokens are not: no branch can go on.
TEST(Failures, BetweenAStepAndItsTokensEndWhoeverTookPart) {
  LoopOptions o = options();
  int steps = 0;
  o.computed = [&](const StepReport&) {
    if (++steps == 3) throw std::runtime_error("no");
  };
  Driver d(0, o);
  std::future<Result> a = d.submit(asks(40)), b = d.submit(asks(50));
  ASSERT_TRUE(d.run());
  for (std::future<Result>* result : {&a, &b}) {
    const Result got = result->get();
    EXPECT_EQ(got.error, "no");
    EXPECT_EQ(got.tokens.size(), 2u);
  }
  EXPECT_TRUE(d.all_free());
}

// Several texts, of which only the first had begun: there is no other word of the others.
TEST(Failures, OfAPromptTellThatItsRequestIsOver) {
  Driver d(0, options());
  Request r = asks(50);
  r.n = 3;
  r.prompt.back() = d.stepper.poison = 2 * test::kFakeVocab;
  int over = 0, told = 0;
  r.on_event = [&](const Event& e) {
    ++told;
    over += e.over;
    EXPECT_EQ(e.finish, FinishReason::kError);
  };
  EXPECT_NE(d.generate(std::move(r)).error, "");
  EXPECT_EQ(over, 1);
  EXPECT_EQ(told, 1);
}

// One of the texts ends before the others.
TEST(Failures, OfSeveralTextsTellOnceThatTheRequestIsOver) {
  Driver d(0, options());
  Request r = asks(50, 30);
  r.n = 2;
  std::vector<bool> over;
  r.on_event = [&, seen = 0](const Event& e) mutable {
    if (e.branch == 0 && e.token >= 0) e.stop = ++seen == 5;
    if (e.finish != FinishReason::kNone) over.push_back(e.over);
  };
  std::future<Result> result = d.submit(std::move(r));
  for (int i = 0; i < 10; ++i) d.loop->step();
  d.loop->cancel(1);
  EXPECT_EQ(over, (std::vector{false, true}));
}

/// Refuses to begin.
class NoForcer final : public TokenForcer {
 public:
  std::unique_ptr<TokenForcer> begin() const override { throw Error(Errc::kUnsupported, "it does not begin"); }
  std::vector<TokenId> after(TokenId) override { return {}; }
};

Request cannot_begin() {
  Request r = asks(50);
  r.forcer = std::make_shared<NoForcer>();
  return r;
}

TEST(Failures, OfATextToBeginAreTold) {
  Driver d(0, options());
  std::vector<std::string> heard;
  Request r = cannot_begin();
  r.on_event = [&](const Event& e) { heard.emplace_back(e.error); };
  const Result got = d.generate(std::move(r));
  EXPECT_EQ(got.error, "it does not begin");
  EXPECT_EQ(got.code, Errc::kUnsupported);
  EXPECT_EQ(heard, std::vector<std::string>{"it does not begin"});
  EXPECT_TRUE(d.all_free());
}

// An owner whose requests are all over is a new one when it comes again, and waits for those that came before.
TEST(Failures, OfARequestGiveItsOwnerNoTurn) {
  Request nothing = asks(50, 0);
  for (const Request& over : {nothing, cannot_begin()}) {
    LoopOptions o = options();
    o.n_parallel = 1;
    Driver d(0, o);
    std::vector<std::string> begun;
    const auto submit = [&](Request r, const char* owner) {
      r.owner = owner;
      r.on_start = [&begun, owner](int64_t) { begun.emplace_back(owner); };
      d.submit(std::move(r));
    };
    submit(over, "early");
    submit(asks(50), "first");
    d.loop->step();
    submit(asks(50), "second");
    submit(asks(50), "early");
    ASSERT_TRUE(d.run());
    EXPECT_EQ(begun, (std::vector<std::string>{"first", "second", "early"}));
  }
}

}  // namespace
}  // namespace skald::failures_test
