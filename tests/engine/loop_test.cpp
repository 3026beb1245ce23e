#include "engine/loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "base/error.h"
#include "base/rng.h"
#include "tests/engine/fake_stepper.h"
#include "tests/engine/guessing.h"
#include "tests/support/sanitized.h"

namespace skald {
namespace {

using test::Driver;
constexpr int64_t kVocab = test::kFakeVocab;

Request request(Rng& rng, int64_t longest) {
  Request r;
  for (uint64_t n = 1 + rng.next() % static_cast<uint64_t>(longest); n > 0; --n)
    r.prompt.push_back(static_cast<TokenId>(rng.next() % kVocab));
  r.max_tokens = static_cast<int>(1 + rng.next() % 80);
  r.sampling.seed = rng.next() % 1000 + 1;
  return r;
}

TEST(EngineLoop, GivesTheSameTextsWhoeverElseRunsAndWhoeverIsPaused) {
  Rng rng(3);
  std::vector<Request> requests;
  for (int i = 0; i < 40; ++i) requests.push_back(request(rng, 200));
  Driver crowded(500);
  std::vector<std::future<Result>> results;
  for (const Request& r : requests) results.push_back(crowded.submit(r));
  ASSERT_TRUE(crowded.run());
  EXPECT_GT(crowded.most_paused, 0) << "the test is of no use without pauses";
  EXPECT_GT(crowded.stepper.most_items, 1);
  for (size_t i = 0; i < requests.size(); ++i) {
    Driver alone(0);
    const Result want = alone.generate(requests[i]), got = results[i].get();
    EXPECT_EQ(got.error, "");
    EXPECT_EQ(got.tokens, want.tokens) << i;
  }
  EXPECT_TRUE(crowded.all_free());
}

TEST(EngineLoop, SwapsWhatHasDroppedKeys) {
  const LoopOptions o{.limits = {.n_ctx = 128, .shift = true}, .n_parallel = 6, .rows = 64};
  Rng rng(4);
  std::vector<Request> requests;
  for (int i = 0; i < 6; ++i) {
    requests.push_back(request(rng, 100));
    requests.back().max_tokens = 300;
  }
  Driver crowded(320, o);
  std::vector<std::future<Result>> results;
  for (const Request& r : requests) results.push_back(crowded.submit(r));
  ASSERT_TRUE(crowded.run());
  EXPECT_GT(crowded.most_paused, 0);
  for (size_t i = 0; i < requests.size(); ++i) {
    Driver alone(0, o);
    EXPECT_EQ(results[i].get().tokens, alone.generate(requests[i]).tokens) << i;
  }
}

// Its cache is full when it is held and gives its pages up: what is computed again forgets the same keys on the way.
TEST(EngineLoop, ComputesAFullContextAgainAsItWas) {
  const LoopOptions o{.limits = {.n_ctx = 128, .shift = true}, .n_parallel = 1, .rows = 200};
  const Request full{.prompt = std::vector<TokenId>(60, 1), .max_tokens = 150, .sampling = {.seed = 3}, .on_event = {}};
  const Request other{.prompt = std::vector<TokenId>(120, 2), .max_tokens = 5, .sampling = {.seed = 4}, .on_event = {}};
  const std::vector<TokenId> want = Driver(0, o).generate(full).tokens;
  for (int steps = 66; steps < 72; ++steps) {
    Driver d(128, o);
    std::future<Result> held = d.submit(full);
    for (int i = 0; i < steps; ++i) d.loop->step();
    d.loop->pause(1);
    std::future<Result> in_between = d.submit(other);
    while (d.loop->has_work()) d.loop->step();
    d.loop->resume(1);
    ASSERT_TRUE(d.run());
    EXPECT_EQ(d.loop->status().preemptions, 1);
    EXPECT_EQ(held.get().tokens, want) << "after " << steps;
  }
}

TEST(EngineLoop, DraftsChangeNothingButTheNumberOfSteps) {
  Request r{.prompt = {1, 2, 3}, .max_tokens = 60, .sampling = {.seed = 5}, .on_event = {}};
  Driver plain(0);
  const std::vector<TokenId> want = plain.generate(r).tokens;
  for (const bool right : {true, false}) {
    const auto draft = [&](std::span<const TokenId> text) {
      std::vector<TokenId> guesses;
      for (size_t at = text.size() - 3; at < std::min(text.size(), want.size()); ++at)
        guesses.push_back(right || at % 3 ? want[at] : (want[at] + 1) % kVocab);
      return guesses;
    };
    Driver drafts(0, {.limits = {.n_ctx = 600}, .n_parallel = 1, .rows = 100, .drafts = test::guessing(draft)});
    EXPECT_EQ(drafts.generate(r).tokens, want);
    EXPECT_LT(drafts.stepper.steps, plain.stepper.steps / (right ? 2 : 1));
    EXPECT_TRUE(drafts.all_free());
  }
}

// Sequences with states do not go back: only the rows since the drafts are computed again.
TEST(EngineLoop, WrongDraftsCostNoPromptWhereSequencesDoNotGoBack) {
  Request r{.prompt = std::vector<TokenId>(90, 3), .max_tokens = 60, .sampling = {.seed = 5}, .on_event = {}};
  for (const int64_t window : {0, 20}) {
    Driver plain(0, {.limits = {.n_ctx = 600}, .n_parallel = 1, .rows = 100}, window, /*state=*/true);
    const std::vector<TokenId> want = plain.generate(r).tokens;
    const auto draft = [&](std::span<const TokenId> text) {
      std::vector<TokenId> guesses;
      for (size_t at = text.size() - 90; at < std::min(text.size() - 86, want.size()); ++at)
        guesses.push_back(at % 3 ? want[at] : (want[at] + 1) % kVocab);
      return guesses;
    };
    Driver drafts(0, {.limits = {.n_ctx = 600}, .n_parallel = 1, .rows = 100, .drafts = test::guessing(draft)}, window,
                  /*state=*/true);
    EXPECT_EQ(drafts.generate(r).tokens, want) << window;
    EXPECT_LT(drafts.stepper.rows, 90 + 60 * 6) << "each step has at most what was right, and five drafts";
    EXPECT_TRUE(drafts.all_free());
  }
}

TEST(EngineLoop, LeavesOutDraftsBeyondTheContext) {
  Request r{.prompt = {1, 2, 3}, .sampling = {.seed = 5}, .on_event = {}};
  const LoopOptions o{.limits = {.n_ctx = 64}, .n_parallel = 1, .rows = 100};
  Driver plain(64, o);
  const Result want = plain.generate(r);
  LoopOptions with = o;
  with.drafts = test::guessing([&](std::span<const TokenId> text) {
    std::vector<TokenId> guesses(want.tokens.begin() + static_cast<std::ptrdiff_t>(text.size() - 3), want.tokens.end());
    guesses.resize(guesses.size() + 90, 1);
    return guesses;
  });
  Driver drafts(64, with);
  const Result got = drafts.generate(r);
  EXPECT_EQ(got.error, "");
  EXPECT_EQ(got.tokens, want.tokens);
  EXPECT_EQ(got.finish, FinishReason::kContext);
}

TEST(EngineLoop, WritesSeveralTextsForAPromptThatIsReadOnce) {
  Request r{.prompt = std::vector<TokenId>(100, 7), .max_tokens = 30, .n = 3, .sampling = {.seed = 5}, .on_event = {}};
  Driver d(0);
  const Result got = d.generate(r);
  EXPECT_EQ(d.stepper.steps, 30);
  ASSERT_EQ(got.others.size(), 2u);
  for (uint64_t i = 0; i < 3; ++i) {
    Request one = r;
    one.n = 1;
    one.sampling.seed = 5 + i;
    Driver alone(0);
    EXPECT_EQ((i ? got.others[i - 1].tokens : got.tokens), alone.generate(one).tokens) << i;
  }
  EXPECT_TRUE(d.all_free());
}

TEST(EngineLoop, AddsUpLogProbabilitiesWhereAsked) {
  Request r{.prompt = {1}, .max_tokens = 5, .log_prob = true, .sampling = {.temperature = 0}, .on_event = {}};
  Driver d(0);
  const double log_prob = d.generate(r).log_prob;
  EXPECT_LT(log_prob, 0);
  EXPECT_GT(log_prob, 5 * std::log(1.0 / kVocab)) << "the likeliest tokens";
}

TEST(EngineLoop, PausesBranchesThatShareTheirPagesRatherThanEndingOthers) {
  // Six pages: two of the older one, which then needs a third, and four that two branches share and neither owns.
  Driver d(320, {.limits = {.n_ctx = 320}, .n_parallel = 6, .rows = 400});
  Request older{.prompt = std::vector<TokenId>(128, 3), .max_tokens = 10, .sampling = {.seed = 5}, .on_event = {}};
  Request pair{.prompt = std::vector<TokenId>(256, 7), .max_tokens = 20, .n = 2, .sampling = {.seed = 6}, .on_event = {}};
  std::future<Result> first = d.submit(older), second = d.submit(pair);
  ASSERT_TRUE(d.run());
  EXPECT_EQ(first.get().error, "");
  const Result both = second.get();
  EXPECT_EQ(both.error, "");
  Driver alone(0);
  EXPECT_EQ(both.others[0].tokens, alone.generate(pair).others[0].tokens);
  EXPECT_TRUE(d.all_free());
}

TEST(EngineLoop, AddsUpTheSameLogProbabilitiesWithDrafts) {
  Request r{.prompt = {1, 2, 3}, .max_tokens = 20, .log_prob = true, .sampling = {.seed = 5}, .on_event = {}};
  Driver plain(0);
  const Result want = plain.generate(r);
  // All guesses are right, and the last ones go past the end.
  const auto draft = [&](std::span<const TokenId> text) {
    std::vector<TokenId> guesses(want.tokens.begin() + static_cast<std::ptrdiff_t>(text.size() - 3), want.tokens.end());
    guesses.resize(guesses.size() + 2, 0);
    return guesses;
  };
  Driver drafts(0, {.limits = {.n_ctx = 600}, .n_parallel = 1, .rows = 100, .drafts = test::guessing(draft)});
  const Result got = drafts.generate(r);
  EXPECT_EQ(got.tokens, want.tokens);
  EXPECT_DOUBLE_EQ(got.log_prob, want.log_prob);
}

// The failed step has written keys and states of all branches: none may go on from them.
TEST(EngineLoop, AFailedStepEndsOnlyWhoFailsAlone) {
  for (const bool state : {false, true}) {
    const auto driver = [state] {
      const LoopOptions o{.limits = {.n_ctx = 600}, .n_parallel = 6, .rows = 100};
      auto d = std::make_unique<Driver>(0, o, 0, state);
      d->stepper.poison = 13;
      return d;
    };
    const std::unique_ptr<Driver> d = driver();
    Rng rng(6);
    std::vector<Request> requests;
    std::vector<std::future<Result>> results;
    for (int i = 0; i < 6; ++i) {
      requests.push_back(request(rng, 20));
      std::ranges::replace(requests.back().prompt, TokenId{13}, TokenId{14});
      if (i == 2) requests.back().prompt.push_back(13);
      results.push_back(d->submit(requests.back()));
    }
    ASSERT_TRUE(d->run());
    for (size_t i = 0; i < requests.size(); ++i) {
      const Result got = results[i].get(), want = driver()->generate(requests[i]);
      EXPECT_EQ(got.tokens, want.tokens) << i;
      EXPECT_EQ(got.code, want.code) << i;
      EXPECT_EQ(got.code == Errc::kDevice, i == 2 || want.code.has_value());
    }
    EXPECT_TRUE(d->all_free());
  }
}

// Twelve pages, and prompts of eight each.
TEST(EngineLoop, AdmitsAPromptOnlyWithRoomForItBesideThoseThatAreRead) {
  Driver d(640);
  const Request r{.prompt = std::vector<TokenId>(500, 7), .max_tokens = 5, .sampling = {.seed = 5}, .on_event = {}};
  std::future<Result> first = d.submit(r), second = d.submit(r);
  for (int i = 0; i < 3; ++i) {
    d.loop->step();
    EXPECT_EQ(d.loop->running(), 1);
    EXPECT_EQ(d.loop->waiting(), 1);
  }
  ASSERT_TRUE(d.run());
  EXPECT_EQ(d.loop->status().preemptions, 0);
  EXPECT_EQ(first.get().tokens, second.get().tokens);
}

TEST(EngineLoop, SaysThatATextFitsNowhere) {
  Driver d(128);
  Errc heard{};
  Request r{.prompt = {1}, .max_tokens = -1, .sampling = {}, .on_event = [&](const Event& e) {
              if (e.code) heard = *e.code;
            }};
  const Result got = d.generate(std::move(r));
  EXPECT_EQ(got.finish, FinishReason::kError);
  EXPECT_EQ(got.code, Errc::kNoMemory);
  EXPECT_EQ(heard, Errc::kNoMemory);
  EXPECT_GT(got.tokens.size(), 60u) << "what it came to until then";
  EXPECT_TRUE(d.all_free());
}

TEST(EngineLoop, MeasuresByItsClock) {
  Driver d(0);
  Request r{.prompt = {1, 2}, .max_tokens = 3, .sampling = {}, .on_event = [&](const Event& e) {
              if (e.token >= 0) d.now += std::chrono::seconds(2);
            }};
  std::future<Result> result = d.submit(std::move(r));
  d.now += std::chrono::seconds(100);  // in the queue
  ASSERT_TRUE(d.run());
  const Timing timing = result.get().timing;
  EXPECT_EQ(timing.queue_seconds, 100);
  EXPECT_EQ(timing.prompt_seconds, 0);
  EXPECT_EQ(timing.generate_seconds, 4) << "from the first token until the last";
}

TEST(EngineLoop, EndsWaitingAndRunningRequestsWhenToldTo) {
  Driver d(0, {.limits = {.n_ctx = 600}, .n_parallel = 1, .rows = 100});
  Request r{.prompt = {1}, .max_tokens = 100, .sampling = {}, .on_event = {}};
  std::future<Result> first = d.submit(r), second = d.submit(r), third = d.submit(r);
  d.loop->step();
  EXPECT_EQ(d.loop->running(), 1);
  d.loop->cancel(2);
  EXPECT_EQ(second.get().finish, FinishReason::kCancelled);
  d.loop->cancel(1);
  EXPECT_EQ(first.get().tokens.size(), 1u);
  d.loop->cancel_all();
  EXPECT_EQ(third.get().finish, FinishReason::kCancelled);
  EXPECT_TRUE(d.loop->idle());
  EXPECT_TRUE(d.all_free());
}

TEST(EngineLoop, HasAllPagesFreeAfterTenThousandJobs) {
  Rng rng(9);
  const auto draft = [&](std::span<const TokenId>) {
    std::vector<TokenId> guesses(rng.next() % 4);
    for (TokenId& id : guesses) id = static_cast<TokenId>(rng.next() % kVocab);
    return guesses;
  };
  Driver d(700, {.limits = {.n_ctx = 150, .shift = true}, .n_parallel = 6, .rows = 80, .drafts = test::guessing(draft)});
  std::vector<std::future<Result>> results;
  const int jobs = test::kSanitized ? 1000 : 10000;
  for (int i = 0; i < jobs; ++i) {
    Request r = request(rng, 60);
    r.n = static_cast<int>(1 + rng.next() % 3);
    r.max_tokens = static_cast<int>(rng.next() % 12);
    if (rng.next() % 4 == 0) r.beams = r.n + static_cast<int>(rng.next() % 3);
    results.push_back(d.submit(std::move(r)));
    d.stepper.poison = rng.next() % 50 == 0 ? static_cast<TokenId>(rng.next() % kVocab) : -1;
    for (uint64_t steps = rng.next() % 8; steps > 0; --steps) d.loop->step();
    if (rng.next() % 10 == 0) d.loop->cancel(1 + static_cast<RequestId>(rng.next() % static_cast<uint64_t>(d.id)));
  }
  d.stepper.poison = -1;
  ASSERT_TRUE(d.run());
  for (std::future<Result>& result : results) EXPECT_NE(result.get().finish, FinishReason::kNone);
  EXPECT_TRUE(d.all_free());
  for (const EngineStatus::Slot& slot : d.loop->status().slots) EXPECT_EQ(slot.request, 0);
}

}  // namespace
}  // namespace skald
