// Random schedules: each request says what it says alone, whichever others run, wait, are paused or are cancelled, and
// whatever pages are shared.
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>

#include "base/rng.h"
#include "engine/loop.h"
#include "tests/engine/fake_stepper.h"
#include "tests/support/sanitized.h"
#include "tests/support/temp_dir.h"

namespace skald {
namespace {

using test::Driver;

constexpr TokenId kPoison = test::kFakeVocab;  // no text has it

struct Kind {
  const char* name;
  int64_t window;
  bool state;
  bool apart = false;  // in two memories
  uint64_t schedules = 1000;
};
// For what test names say.
void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

// Prompts of a few beginnings, the same in all schedules, cut anywhere, and a tail of their own.
class Prompts {
 public:
  explicit Prompts(Rng& rng) : rng_(rng) {
    Rng fixed(1);
    for (std::vector<TokenId>& beginning : beginnings_)
      for (int i = 0; i < 400; ++i) beginning.push_back(static_cast<TokenId>(fixed.next() % test::kFakeVocab));
    for (int i = 0; i < 150; ++i) beginnings_[1][static_cast<size_t>(i)] = beginnings_[0][static_cast<size_t>(i)];
  }
  std::vector<TokenId> next() {
    const std::vector<TokenId>& from = beginnings_[below(beginnings_.size())];
    std::vector<TokenId> out(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(below(300)));
    for (uint64_t n = 1 + below(below(4) ? 20 : 100); n > 0; --n) out.push_back(token());
    return out;
  }

 private:
  uint64_t below(uint64_t n) { return rng_.next() % n; }
  TokenId token() { return static_cast<TokenId>(below(test::kFakeVocab)); }

  Rng& rng_;
  std::array<std::vector<TokenId>, 3> beginnings_;
};

Request random_request(Rng& rng, Prompts& prompts) {
  Request r;
  r.prompt = prompts.next();
  r.max_tokens = static_cast<int>(1 + rng.next() % 30);
  r.n = rng.next() % 5 ? 1 : static_cast<int>(1 + rng.next() % 6);
  r.sampling.seed = rng.next() % 1000 + 1;
  r.priority = static_cast<int>(rng.next() % 4) / 2;
  r.scope = rng.next() % 3 ? "" : "other";
  r.reuse_generated = false;
  r.cache_prompt = rng.next() % 8 != 0;
  r.read_ahead = rng.next() % 10 == 0;
  if (rng.next() % 30 == 0) r.prompt.push_back(kPoison);
  return r;
}

std::vector<Choice> choices_of(const Result& r) {
  std::vector<Choice> out = {r};
  out.insert(out.end(), r.others.begin(), r.others.end());
  return out;
}

// What a request says in a loop of its own, without a cache.
std::vector<Choice> alone(const Request& r, const Kind& kind) {
  Driver d(0, {.limits = {.n_ctx = 600}, .n_parallel = 8, .rows = 100}, kind.window, kind.state);
  return choices_of(d.generate(r));
}

// Each text as far as it came.
void expect_same(const std::vector<Choice>& got, const std::vector<Choice>& want) {
  ASSERT_LE(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) {
    std::vector<TokenId> text = want[i].tokens;
    if (got[i].finish == FinishReason::kCancelled) text.resize(std::min(text.size(), got[i].tokens.size()));
    ASSERT_EQ(got[i].tokens, text) << "text " << i;
  }
}

bool is_cancelled(const std::vector<Choice>& all) {
  return std::ranges::count(all, FinishReason::kCancelled, &Choice::finish) > 0;
}

void expect_sums(const Driver& d, int64_t n_parallel) {
  const EngineStatus s = d.loop->status();
  ASSERT_EQ(s.pages.total, s.pages.active + s.pages.cached + s.pages.free);
  ASSERT_EQ(s.pages.free, d.stepper.room().counts[0]);
  ASSERT_GE(s.pages.active, 0);
  ASSERT_EQ(std::ssize(s.slots), n_parallel);
  std::set<RequestId> shown;
  for (const EngineStatus::Slot& slot : s.slots) shown.insert(slot.request);
  shown.erase(0);
  ASSERT_LE(std::ssize(shown), s.running);
}

class Schedules : public testing::TestWithParam<Kind> {
 protected:
  // One schedule of a few requests.
  void run(uint64_t seed);

  int64_t preemptions_ = 0, evictions_ = 0, cached_ = 0, paused_ = 0, from_disk_ = 0;
  test::TempDir dir_;
  PageStore store_{dir_.path("pages"), 64 << 10};  // a few hundred pages: some go again
};

void Schedules::run(uint64_t seed) {
  Rng rng(seed);
  Prompts prompts(rng);
  const int64_t n_parallel = 1 + static_cast<int64_t>(rng.next() % 4);
  LoopOptions o{.limits = {.n_ctx = 600},
                .n_parallel = n_parallel,
                .rows = 68 + static_cast<int64_t>(rng.next() % 100),
                .share_prefixes = true,
                .max_itl_seconds = rng.next() % 2 ? 0.05 : 0};
  const int64_t total = rng.next() % 3 ? 600 + static_cast<int64_t>(rng.next() % 300) : 0;
  Driver d(total, o, GetParam().window, GetParam().state, rng.next() % 3 ? nullptr : &store_, GetParam().apart);
  d.stepper.poison = kPoison;
  d.stepper.ran = [&](int64_t rows) { d.now += std::chrono::microseconds(5000 + 500 * rows); };
  std::vector<Request> requests;
  std::vector<std::future<Result>> results;
  std::set<RequestId> held;
  const auto some_id = [&] { return 1 + static_cast<RequestId>(rng.next() % requests.size()); };
  const int n = 3 + static_cast<int>(rng.next() % 8);
  for (int i = 0; i < n; ++i) {
    requests.push_back(random_request(rng, prompts));
    results.push_back(d.submit(requests.back()));
    for (uint64_t steps = rng.next() % 12; steps > 0; --steps) {
      if (rng.next() % 20 == 0) d.loop->cancel(some_id());
      if (rng.next() % 8 == 0) {
        held.insert(some_id());
        d.loop->pause(*held.rbegin());
      }
      if (!held.empty() && rng.next() % 4 == 0) d.loop->resume(held.extract(held.begin()).value());
      if (d.loop->has_work()) d.loop->step();
      paused_ += !held.empty();
      expect_sums(d, n_parallel);
    }
  }
  for (const RequestId id : held) d.loop->resume(id);
  ASSERT_TRUE(d.run()) << "a request starves";
  expect_sums(d, n_parallel);
  const EngineStatus s = d.loop->status();
  EXPECT_EQ(s.pages.active, 0) << "a page is lost";
  EXPECT_EQ(s.running + s.waiting + s.paused, 0);
  preemptions_ += s.preemptions;
  evictions_ += s.prefix_evictions;
  cached_ += s.cached_tokens;
  from_disk_ += s.disk_tokens;
  int64_t cached = 0, computed = 0;
  bool all = true;
  for (size_t i = 0; i < requests.size(); ++i) {
    const Result got = results[i].get();
    if (requests[i].read_ahead) continue;
    if (requests[i].prompt.back() == kPoison) {
      ASSERT_TRUE(got.finish == FinishReason::kError || got.finish == FinishReason::kCancelled);
      all = false;
      continue;
    }
    ASSERT_EQ(got.error, "");
    cached += got.timing.n_cached;
    computed += got.timing.n_prompt - got.timing.n_cached;
    ASSERT_LT(got.timing.n_cached, got.timing.n_prompt);
    all = all && !is_cancelled(choices_of(got));
    SCOPED_TRACE("request " + std::to_string(i + 1));
    expect_same(choices_of(got), alone(requests[i], GetParam()));
  }
  if (!all) return;
  EXPECT_EQ(cached, s.cached_tokens);
  EXPECT_EQ(computed, s.prompt_tokens);
}

TEST_P(Schedules, SayWhatEachRequestSaysAlone) {
  const uint64_t schedules = test::kSanitized || GetParam().apart ? 100 : GetParam().schedules;
  for (uint64_t seed = 1; seed <= schedules && !HasFatalFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    run(seed);
  }
  EXPECT_GT(preemptions_, 0);
  EXPECT_GT(evictions_, 0);
  EXPECT_GT(cached_, 0);
  EXPECT_GT(paused_, 0);
  EXPECT_GT(from_disk_, 0);
}

INSTANTIATE_TEST_SUITE_P(Models, Schedules,
                         testing::Values(Kind{"full", 0, false}, Kind{"window", 100, false}, Kind{"state", 0, true},
                                         Kind{"window_and_state", 70, true}, Kind{"window_and_state_apart", 70, true, true}),
                         [](const auto& info) { return info.param.name; });
INSTANTIATE_TEST_SUITE_P(Deep, Schedules,
                         testing::Values(Kind{"full", 0, false, false, 10'000}, Kind{"window", 100, false, false, 10'000},
                                         Kind{"state", 0, true, false, 10'000},
                                         Kind{"window_and_state", 70, true, false, 10'000}),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace skald
