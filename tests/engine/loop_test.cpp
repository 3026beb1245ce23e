// The loop on a stepper whose logits follow from what lies in the cache, and a clock that stands still unless told.
#include "engine/loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "base/error.h"
#include "base/rng.h"
#include "tests/support/sanitized.h"

namespace skald {
namespace {

constexpr int64_t kVocab = 50;

// A key is its token and whether it was generated; a row's logits are a hash of all keys before it. Whoever lost a page, or
// made a row again in another way, says something else.
class FakeStepper : public Stepper {
 public:
  explicit FakeStepper(int64_t total_keys, int64_t max_keys = 1000)
      : cache_(make_kv_spec({AttentionState{.n_kv_heads = 1, .d_k = 2, .d_v = 2}},
                            {.k_type = "f32", .v_type = "f32", .layout = "rows"}, max_keys),
               {.max_keys = max_keys, .n_sequences = 8, .total_keys = total_keys}) {}

  void compile() override {}
  KvSequence new_sequence() override { return KvSequence(cache_); }
  KvRoom room() const override { return cache_.room(); }
  const DeviceWeights& weights() const override { fail(Errc::kUnsupported, "has no weights"); }
  std::string kv_storage() const override { return {}; }
  void report(MemoryUse&) const override {}

  Logits run(std::span<const StepItem> items) override {
    ++steps;
    most_items = std::max(most_items, std::ssize(items));
    for (const StepItem& item : items)
      if (std::ranges::find(item.tokens, poison) != item.tokens.end()) fail(Errc::kDevice, "the token is poisoned");
    for (const StepItem& item : items)
      if (!item.kv->reserve(item.kv->length() + std::ssize(item.tokens))) fail(Errc::kNoMemory, "no pages");
    logits_.clear();
    for (const StepItem& item : items) append(item);
    return {{reinterpret_cast<std::byte*>(logits_.data()), {&format_f32, {std::ssize(logits_) / kVocab, kVocab}}},
            host_memory()};
  }

  int64_t steps = 0, most_items = 0;
  TokenId poison = -1;

 private:
  void append(const StepItem& item) {
    const int64_t from = item.kv->length(), n = std::ssize(item.tokens);
    const KvView view = item.kv->view(0);
    for (int64_t i = 0; i < n; ++i) {
      const int64_t key = item.tokens[static_cast<size_t>(i)] * 2 + item.decode;
      std::memcpy(view.k_row(0, from + i - view.shift), &key, sizeof key);
    }
    for (int64_t i = n - item.n_outputs; i < n; ++i) {
      uint64_t hash = 1;
      for (int64_t at = 0; at <= from + i - view.shift; ++at) {
        if (at >= view.kept && at < view.begin) continue;
        int64_t key = 0;
        std::memcpy(&key, view.k_row(0, at), sizeof key);
        hash = Rng(hash ^ static_cast<uint64_t>(key)).next();
      }
      for (int64_t id = 0; id < kVocab; ++id)
        logits_.push_back(static_cast<float>(Rng(hash + static_cast<uint64_t>(id)).uniform() * 8));
    }
    item.kv->set_length(from + n, {.generated = item.decode});
  }

  KvCache cache_;
  std::vector<float> logits_;
};

class Driver {
 public:
  explicit Driver(int64_t total_keys, LoopOptions o = {.limits = {.n_ctx = 600}, .n_parallel = 6, .rows = 100})
      : stepper(total_keys), full_(stepper.room().counts) {
    o.now = [this] { return now; };
    loop.emplace(stepper, std::move(o));
  }
  std::future<Result> submit(Request request) {
    std::promise<Result> promise;
    std::future<Result> result = promise.get_future();
    loop->submit(++id, std::move(request), std::move(promise));
    return result;
  }
  // False after more steps than the jobs can take.
  bool run() {
    for (int64_t i = 0; i < 200000; ++i) {
      if (loop->idle()) return true;
      loop->step();
      most_paused = std::max(most_paused, loop->paused());
    }
    return false;
  }
  Result generate(Request request) {
    std::future<Result> result = submit(std::move(request));
    EXPECT_TRUE(run());
    return result.get();
  }
  bool all_free() const { return stepper.room().counts == full_; }

  FakeStepper stepper;
  std::optional<Loop> loop;
  Clock::time_point now = {};
  RequestId id = 0;
  int64_t most_paused = 0;

 private:
  std::vector<int64_t> full_;
};

Request request(Rng& rng, int64_t longest) {
  Request r;
  for (uint64_t n = 1 + rng.next() % static_cast<uint64_t>(longest); n > 0; --n)
    r.prompt.push_back(static_cast<TokenId>(rng.next() % kVocab));
  r.max_tokens = static_cast<int>(1 + rng.next() % 80);
  r.sampling.seed = rng.next() % 1000 + 1;
  return r;
}

TEST(Loop, GivesTheSameTextsWhoeverElseRunsAndWhoeverIsPaused) {
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

TEST(Loop, SwapsWhatHasDroppedKeys) {
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

TEST(Loop, DraftsChangeNothingButTheNumberOfSteps) {
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
    Driver drafts(0, {.limits = {.n_ctx = 600}, .n_parallel = 1, .rows = 100, .draft = draft});
    EXPECT_EQ(drafts.generate(r).tokens, want);
    EXPECT_LT(drafts.stepper.steps, plain.stepper.steps / (right ? 2 : 1));
    EXPECT_TRUE(drafts.all_free());
  }
}

TEST(Loop, WritesSeveralTextsForAPromptThatIsReadOnce) {
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

TEST(Loop, AddsUpLogProbabilitiesWhereAsked) {
  Request r{.prompt = {1}, .max_tokens = 5, .log_prob = true, .sampling = {.temperature = 0}, .on_event = {}};
  Driver d(0);
  const double log_prob = d.generate(r).log_prob;
  EXPECT_LT(log_prob, 0);
  EXPECT_GT(log_prob, 5 * std::log(1.0 / kVocab)) << "the likeliest tokens";
}

TEST(Loop, PausesBranchesThatShareTheirPagesRatherThanEndingOthers) {
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

TEST(Loop, AddsUpTheSameLogProbabilitiesWithDrafts) {
  Request r{.prompt = {1, 2, 3}, .max_tokens = 20, .log_prob = true, .sampling = {.seed = 5}, .on_event = {}};
  Driver plain(0);
  const Result want = plain.generate(r);
  // All guesses are right, and the last ones go past the end.
  const auto draft = [&](std::span<const TokenId> text) {
    std::vector<TokenId> guesses(want.tokens.begin() + static_cast<std::ptrdiff_t>(text.size() - 3), want.tokens.end());
    guesses.resize(guesses.size() + 2, 0);
    return guesses;
  };
  Driver drafts(0, {.limits = {.n_ctx = 600}, .n_parallel = 1, .rows = 100, .draft = draft});
  const Result got = drafts.generate(r);
  EXPECT_EQ(got.tokens, want.tokens);
  EXPECT_DOUBLE_EQ(got.log_prob, want.log_prob);
}

TEST(Loop, AFailedStepEndsOnlyWhoFailsAlone) {
  Driver d(0);
  d.stepper.poison = 13;
  Rng rng(6);
  std::vector<Request> requests;
  std::vector<std::future<Result>> results;
  for (int i = 0; i < 6; ++i) {
    requests.push_back(request(rng, 20));
    std::ranges::replace(requests.back().prompt, TokenId{13}, TokenId{14});
    if (i == 2) requests.back().prompt.push_back(13);
    results.push_back(d.submit(requests.back()));
  }
  ASSERT_TRUE(d.run());
  for (size_t i = 0; i < requests.size(); ++i) {
    const Result got = results[i].get();
    Driver alone(0);
    alone.stepper.poison = 13;
    const Result want = alone.generate(requests[i]);
    EXPECT_EQ(got.tokens, want.tokens) << i;
    EXPECT_EQ(got.code, want.code) << i;
    EXPECT_EQ(got.code == Errc::kDevice, i == 2 || want.code.has_value());
  }
  EXPECT_TRUE(d.all_free());
}

TEST(Loop, SaysThatATextFitsNowhere) {
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

TEST(Loop, MeasuresByItsClock) {
  Driver d(0);
  Request r{.prompt = {1, 2}, .max_tokens = 3, .sampling = {}, .on_event = [&](const Event& e) {
              if (e.token >= 0) d.now += std::chrono::seconds(2);
            }};
  std::future<Result> result = d.submit(std::move(r));
  d.now += std::chrono::seconds(100);  // in the queue
  ASSERT_TRUE(d.run());
  const Timing timing = result.get().timing;
  EXPECT_EQ(timing.prompt_seconds, 0);
  EXPECT_EQ(timing.generate_seconds, 4) << "from the first token until the last";
}

TEST(Loop, EndsWaitingAndRunningRequestsWhenToldTo) {
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

TEST(Loop, HasAllPagesFreeAfterTenThousandJobs) {
  Rng rng(9);
  const auto draft = [&](std::span<const TokenId>) {
    std::vector<TokenId> guesses(rng.next() % 4);
    for (TokenId& id : guesses) id = static_cast<TokenId>(rng.next() % kVocab);
    return guesses;
  };
  Driver d(700, {.limits = {.n_ctx = 150, .shift = true}, .n_parallel = 6, .rows = 80, .draft = draft});
  std::vector<std::future<Result>> results;
  const int jobs = test::kSanitized ? 1000 : 10000;
  for (int i = 0; i < jobs; ++i) {
    Request r = request(rng, 60);
    r.n = static_cast<int>(1 + rng.next() % 3);
    r.max_tokens = static_cast<int>(rng.next() % 12);
    results.push_back(d.submit(std::move(r)));
    d.stepper.poison = rng.next() % 50 == 0 ? static_cast<TokenId>(rng.next() % kVocab) : -1;
    for (uint64_t steps = rng.next() % 8; steps > 0; --steps) d.loop->step();
    if (rng.next() % 10 == 0) d.loop->cancel(1 + static_cast<RequestId>(rng.next() % static_cast<uint64_t>(d.id)));
  }
  d.stepper.poison = -1;
  ASSERT_TRUE(d.run());
  for (std::future<Result>& result : results) EXPECT_NE(result.get().finish, FinishReason::kNone);
  EXPECT_TRUE(d.all_free());
}

}  // namespace
}  // namespace skald
