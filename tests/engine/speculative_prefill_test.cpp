// Prompts that are read ahead: what they leave in memory and on disk, and where they stop.
#include <gtest/gtest.h>

#include "tests/engine/fake_stepper.h"
#include "tests/engine/some_tokens.h"
#include "tests/support/temp_dir.h"

namespace skald::speculative_prefill_test {
namespace {

using test::Driver;
using test::some;

Request asks(int64_t prompt, uint64_t seed, bool ahead) {
  return {.prompt = some(prompt, seed),
          .max_tokens = 5,
          .reuse_generated = false,
          .read_ahead = ahead,
          .sampling = {.seed = 7},
          .on_event = {}};
}

LoopOptions options() { return {.limits = {.n_ctx = 900}, .n_parallel = 2, .rows = 200, .share_prefixes = true}; }

// Twelve pages, of which a request that is held has eight.
TEST(SpeculativePrefill, TakesNoPagesOfThoseWhoHaveBegun) {
  Driver d(640, options());
  std::future<Result> held = d.submit(asks(500, 1, false));
  for (int i = 0; i < 3; ++i) d.loop->step();
  d.loop->pause(1);
  std::future<Result> ahead = d.submit(asks(400, 2, true));
  for (int i = 0; i < 20; ++i) d.loop->step();
  const Result got = ahead.get();
  EXPECT_EQ(got.finish, FinishReason::kCancelled);
  EXPECT_EQ(got.error, "");
  EXPECT_EQ(d.loop->status().preemptions, 0);
  d.loop->resume(1);
  ASSERT_TRUE(d.run());
  EXPECT_EQ(held.get().tokens, Driver(0).generate(asks(500, 1, false)).tokens);
}

// Windows at places to which no prompt comes back: each page is read from the one before.
TEST(SpeculativePrefill, KeepsTheWindowOfItsEndAlone) {
  Driver d(0, options(), /*window=*/100);
  EXPECT_EQ(d.generate(asks(800, 1, true)).finish, FinishReason::kLength);
  const KvCache& cache = d.stepper.kv();
  EXPECT_EQ(cache.pool(0).kept(), 12) << "all keys";
  EXPECT_EQ(cache.pool(1).kept(), 2) << "those that the next token sees";
  EXPECT_EQ(d.generate(asks(800, 1, false)).timing.n_cached, 768);
}

TEST(SpeculativePrefill, IsWrittenToTheDisk) {
  const test::TempDir dir;
  {
    PageStore store(dir.path("s"), int64_t{64} << 20);
    Driver d(0, options(), 0, false, &store);
    d.generate(asks(400, 1, true));
    d.loop->flush();
  }
  PageStore store(dir.path("s"), int64_t{64} << 20);
  Driver d(0, options(), 0, false, &store);
  EXPECT_EQ(d.generate(asks(400, 1, false)).timing.n_cached, 384);
}

}  // namespace
}  // namespace skald::speculative_prefill_test
