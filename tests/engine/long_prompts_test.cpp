// Models with windows: prompts that are longer than all windows of the cache together are read as others are.
#include <gtest/gtest.h>

#include <memory>

#include "tests/engine/fake_stepper.h"
#include "tests/support/temp_dir.h"

namespace skald::long_prompts_test {
namespace {

using test::Driver;

constexpr int64_t kLong = 5000, kDiskBytes = int64_t{64} << 20;

struct Kind {
  const char* name;
  int64_t window;
  bool state;
};
void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

LoopOptions options(bool shares = false) {
  return {.limits = {.n_ctx = 8000}, .n_parallel = 8, .rows = 100, .share_prefixes = shares};
}

Request asks(int64_t n, uint64_t seed, int max_tokens = 5) {
  Request r{.prompt = {}, .max_tokens = max_tokens, .reuse_generated = false, .sampling = {.seed = 7}, .on_event = {}};
  Rng rng(seed);
  for (int64_t i = 0; i < n; ++i) r.prompt.push_back(static_cast<TokenId>(rng.next() % test::kFakeVocab));
  return r;
}

bool ready(const auto& future) { return future.wait_for(std::chrono::seconds(0)) == std::future_status::ready; }

class LongPrompts : public testing::TestWithParam<Kind> {
 protected:
  std::unique_ptr<Driver> driver(const LoopOptions& o, int64_t total_keys = 0, PageStore* store = nullptr) const {
    auto d = std::make_unique<Driver>(total_keys, o, GetParam().window, GetParam().state, store);
    EXPECT_LT(d->stepper.kv().pool(1).max_pages() * kPageKeys, kLong - 1000) << "the test is of no use with so much room";
    return d;
  }
  // The text; its pages are in files when the store has ended.
  std::vector<TokenId> leave_on_disk(const test::TempDir& dir, const Request& r) const {
    PageStore store(dir.path("pages"), kDiskBytes);
    const std::unique_ptr<Driver> d = driver(options(true), 0, &store);
    std::vector<TokenId> tokens = d->generate(r).tokens;
    d->loop->flush();
    return tokens;
  }
  std::vector<TokenId> alone(const Request& r) const { return driver(options())->generate(r).tokens; }
};

TEST_P(LongPrompts, BeginAtOnceAndHoldUpNoRequest) {
  const std::unique_ptr<Driver> d = driver(options());
  const std::vector<Request> requests = {asks(10, 1, 100), asks(kLong, 2), asks(3, 3), asks(kLong, 4), asks(3, 5)};
  std::vector<std::future<Result>> results;
  for (const Request& r : requests) {
    results.push_back(d->submit(r));
    d->loop->step();
    EXPECT_EQ(d->loop->waiting(), 0);
  }
  for (int i = 0; i < 10; ++i) d->loop->step();
  EXPECT_TRUE(ready(results[2]) && ready(results[4])) << "short ones are over before the long ones are read";
  EXPECT_FALSE(ready(results[1]) || ready(results[3]));
  ASSERT_TRUE(d->run());
  EXPECT_EQ(d->loop->status().preemptions, 0);
  for (size_t i = 0; i < requests.size(); ++i) EXPECT_EQ(results[i].get().tokens, alone(requests[i])) << i;
}

TEST_P(LongPrompts, RunInAllPlacesAtTheSameTime) {
  for (const bool shares : {false, true}) {
    const std::unique_ptr<Driver> d = driver(options(shares));
    std::vector<Request> requests;
    std::vector<std::future<Result>> results;
    for (uint64_t i = 0; i < 8; ++i) {
      requests.push_back(asks(kLong, 1));  // one beginning
      const Request tail = asks(1000, 10 + i, 20);
      std::ranges::copy(tail.prompt, requests.back().prompt.end() - 1000);
    }
    for (const Request& r : requests) results.push_back(d->submit(r));
    d->loop->step();
    EXPECT_EQ(d->loop->running(), 8);
    ASSERT_TRUE(d->run());
    EXPECT_EQ(d->loop->status().preemptions, 0);
    for (size_t i = 0; i < requests.size(); ++i) EXPECT_EQ(results[i].get().tokens, alone(requests[i])) << i;
  }
}

TEST_P(LongPrompts, ComeBackFromTheDisk) {
  const test::TempDir dir;
  const Request r = asks(kLong, 1);
  const std::vector<TokenId> want = leave_on_disk(dir, r);
  PageStore store(dir.path("pages"), kDiskBytes);
  const std::unique_ptr<Driver> d = driver(options(true), 0, &store);
  const Result got = d->generate(r);
  EXPECT_EQ(got.timing.n_cached, (kLong - 1) / kPageKeys * kPageKeys);
  EXPECT_EQ(d->loop->status().disk_tokens, got.timing.n_cached);
  EXPECT_EQ(got.tokens, want);
}

TEST_P(LongPrompts, ComeBackFromTheDiskBesideOthers) {
  const test::TempDir dir;
  const Request r = asks(kLong, 1), other = asks(kLong, 2);
  leave_on_disk(dir, r);
  PageStore store(dir.path("pages"), kDiskBytes);
  const std::unique_ptr<Driver> d = driver(options(true), 0, &store);
  std::future<Result> first = d->submit(other);
  d->loop->step();
  std::future<Result> second = d->submit(r);
  ASSERT_TRUE(d->run());
  EXPECT_EQ(second.get().timing.n_cached, (kLong - 1) / kPageKeys * kPageKeys);
  EXPECT_EQ(first.get().tokens, alone(other));
}

TEST_P(LongPrompts, OfASavedSlotAreRestored) {
  const std::unique_ptr<Driver> d = driver(options(true)), fresh = driver(options(true));
  const Request r = asks(kLong, 1);
  const std::vector<TokenId> want = d->generate(r).tokens;
  std::promise<SlotImage> saved;
  std::future<SlotImage> image = saved.get_future();
  d->loop->save_slot(0, "", std::move(saved));
  while (!ready(image)) d->loop->step();
  std::promise<int64_t> restored;
  std::future<int64_t> n = restored.get_future();
  fresh->loop->restore_slot(0, "", image.get(), std::move(restored));
  while (!ready(n)) fresh->loop->step();
  EXPECT_EQ(n.get(), kLong + std::ssize(want));
  const Result got = fresh->generate(r);
  EXPECT_EQ(got.timing.n_cached, (kLong - 1) / kPageKeys * kPageKeys);
  EXPECT_EQ(got.tokens, want);
}

TEST_P(LongPrompts, LeaveShortOnesTheirCheckpoints) {
  const std::unique_ptr<Driver> d = driver(options(true));
  for (uint64_t seed = 1; seed <= 6; ++seed) d->generate(asks(130, seed));
  const Request r = asks(kLong, 9);
  d->generate(r);
  for (uint64_t seed = 1; seed <= 6; ++seed) EXPECT_EQ(d->generate(asks(130, seed)).timing.n_cached, 128) << seed;
  EXPECT_EQ(d->generate(r).timing.n_cached, (kLong - 1) / kPageKeys * kPageKeys);
}

TEST_P(LongPrompts, AreFoundToTheirEndWhereverStepsEnd) {
  for (const int64_t rows : {64, 100, 128}) {
    LoopOptions o = options(true);
    o.rows = rows;
    const std::unique_ptr<Driver> d = driver(o);
    for (int64_t n = 5000; n < 5130; n += 13) {
      const Request r = asks(n, static_cast<uint64_t>(n));
      d->generate(r);
      EXPECT_EQ(d->generate(r).timing.n_cached, (n - 1) / kPageKeys * kPageKeys) << n << ", " << rows;
    }
  }
}

// Other prompts begin with the first half of one that is being read.
TEST_P(LongPrompts, GiveOthersTheirBeginning) {
  const std::unique_ptr<Driver> d = driver(options(true));
  const Request r = asks(kLong, 9);
  std::future<Result> read = d->submit(r);
  while (d->loop->status().prompt_tokens < 3000) d->loop->step();
  Request half = r;
  half.prompt.resize(2000);
  const Result got = d->generate(half);
  EXPECT_GE(got.timing.n_cached, GetParam().state ? 0 : 1536);
  EXPECT_EQ(got.tokens, alone(half));
}

// The pages of all keys are 82: 79 of the long prompt, and three of branches that want three more.
TEST_P(LongPrompts, GoOnAfterAPauseWithoutTakingPagesOfConversations) {
  const std::unique_ptr<Driver> d = driver(options(), 82 * 8000 / 127);
  ASSERT_EQ(d->stepper.kv().pool(0).max_pages(), 82);
  Request turn = asks(5, 1, 70);
  turn.n = 3;
  turn.conversation = 1;
  turn.reuse_generated = true;
  const Request r = asks(kLong, 2, 30);
  std::future<Result> first = d->submit(turn), second = d->submit(r);
  ASSERT_TRUE(d->run());
  EXPECT_EQ(d->loop->status().preemptions, 1);
  EXPECT_EQ(second.get().tokens, alone(r));
  Request next = turn;
  const std::vector<TokenId> text = first.get().tokens;
  next.prompt.insert(next.prompt.end(), text.begin(), text.end());
  EXPECT_GE(d->generate(next).timing.n_cached, 64) << "the conversation is still there";
}

INSTANTIATE_TEST_SUITE_P(Models, LongPrompts,
                         testing::Values(Kind{"window", 100, false}, Kind{"window_and_state", 70, true}),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace skald::long_prompts_test
