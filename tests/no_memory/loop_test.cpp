// A loop for whose allocations there is no memory: whichever of them fails, each request ends, nothing stays in use, and
// later requests run as ever.
#include <gtest/gtest.h>

#include "engine/slot_image.h"
#include "tests/engine/fake_stepper.h"
#include "tests/engine/some_tokens.h"
#include "tests/no_memory/failing_allocator.h"
#include "tests/support/temp_dir.h"

namespace skald::loop_without_memory_test {
namespace {

using test::Driver;
using test::FailingAllocations;
using test::some;
using test::Spared;
using test::Tokens;
using test::operator+;

Request asks(Tokens prompt, int n, std::string scope = "") {
  return {.prompt = std::move(prompt),
          .max_tokens = n,
          .reuse_generated = false,
          .scope = std::move(scope),
          .sampling = {.seed = 7},
          .on_event = {}};
}

// Prompts that begin alike, several texts of one, a conversation, log probabilities of a prompt, speculative prefill, a beam
// search, and the best of several texts.
std::vector<Request> mix() {
  const Tokens shared = some(150, 1);
  std::vector<Request> out;
  for (uint64_t i = 0; i < 3; ++i) out.push_back(asks(shared + some(40, 10 + i), 30));
  out.push_back(asks(some(100, 2), 20));
  out.back().n = 3;
  out.push_back(asks(some(90, 3), 12, "a scope whose name is too long for the string itself"));
  out.back().conversation = 5;
  out.push_back(asks(some(90, 3) + some(30, 4), 12, "a scope whose name is too long for the string itself"));
  out.back().conversation = 5;
  out.push_back(asks(some(70, 5), 5));
  out.back().prompt_log_probs = out.back().log_prob = true;
  out.back().top_log_probs = 3;
  out.push_back(asks(shared + some(100, 6), 0));
  out.back().read_ahead = true;
  out.push_back(asks(some(20, 8), 0));
  out.push_back(asks(some(60, 9), 12));
  out.back().beams = out.back().n = 4;
  out.push_back(asks(some(60, 9), 8));
  out.back().best_of = 3;
  return out;
}

struct Kind {
  const char* name;
  int64_t window;
  bool state, disk;
};
void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

class LoopWithoutMemory : public testing::TestWithParam<Kind> {
 protected:
  // Few pages, so that some requests give up theirs.
  std::unique_ptr<Driver> driver(PageStore* store) const {
    const LoopOptions o{
        .limits = {.n_ctx = 600}, .n_parallel = 4, .rows = 100, .checkpoints = {.most = 2}, .share_prefixes = true};
    return std::make_unique<Driver>(900, o, GetParam().window, GetParam().state, store);
  }

  std::vector<Tokens> alone() const {
    std::vector<Tokens> out;
    for (const Request& r : mix()) {
      if (r.read_ahead) {
        out.emplace_back();
        continue;
      }
      const auto d = driver(nullptr);
      out.push_back(d->generate(r).tokens);
    }
    return out;
  }

  static void step(Driver& d) {
    const Spared counts(false);
    d.loop->step();
  }

  static std::future<Result> submit(Driver& d, Request request) {
    std::promise<Result> promise;
    std::future<Result> result = promise.get_future();
    const Spared counts(false);
    d.loop->submit(++d.id, std::move(request), std::move(promise));
    return result;
  }

  template <class T>
  static std::future<T> slot_work(Driver& d, const std::function<void(EngineLoop&, KeptPromise<T>)>& work) {
    std::promise<T> promise;
    std::future<T> result = promise.get_future();
    const Spared counts(false);
    work(*d.loop, std::move(promise));
    return result;
  }

  static bool run(Driver& d) {
    for (int64_t i = 0; i < 20000; ++i) {
      if (d.loop->idle() && !d.loop->has_work()) return true;
      if (!d.loop->has_work()) std::this_thread::sleep_for(std::chrono::microseconds(50));  // for the disk
      step(d);
    }
    return false;
  }

  static bool ready(const auto& future) { return future.wait_for(std::chrono::seconds(0)) == std::future_status::ready; }
};

TEST_P(LoopWithoutMemory, EndsEachRequestAndGoesOn) {
  const Spared spared;
  const std::vector<Tokens> want = alone();
  int64_t failures = 0, kept = 0;
  test::for_failures(150, [&](int64_t first, int64_t count) {
    SCOPED_TRACE(testing::Message() << "failures from " << first << ", " << count);
    const test::TempDir dir;
    std::optional<PageStore> store;
    if (GetParam().disk) store.emplace(dir.path("pages"), 1 << 20);
    const auto d = driver(store ? &*store : nullptr);
    {
      const FailingAllocations failing(first, count);
      std::vector<std::future<Result>> results;
      for (Request& r : mix()) results.push_back(submit(*d, std::move(r)));
      for (int i = 0; i < 10; ++i) step(*d);
      d->loop->pause(1);
      for (int i = 0; i < 5; ++i) step(*d);
      d->loop->resume(1);
      ASSERT_TRUE(run(*d));
      auto saved =
          slot_work<SlotImage>(*d, [](EngineLoop& l, KeptPromise<SlotImage> p) { l.save_slot(1, "", std::move(p)); });
      ASSERT_TRUE(run(*d));
      ASSERT_TRUE(ready(saved));
      try {
        SlotImage image = saved.get();
        auto restored = slot_work<int64_t>(
            *d, [&](EngineLoop& l, KeptPromise<int64_t> p) { l.restore_slot(1, "", std::move(image), std::move(p)); });
        ASSERT_TRUE(run(*d));
        ASSERT_TRUE(ready(restored));
        restored.get();
      } catch (const std::exception&) {
        ++failures;
      }
      for (size_t i = 0; i < results.size(); ++i) {
        ASSERT_TRUE(ready(results[i])) << i;
        const Result r = results[i].get();
        ASSERT_NE(r.finish, FinishReason::kNone) << i;
        failures += r.finish == FinishReason::kError;
        if (r.finish == FinishReason::kError) {
          EXPECT_EQ(r.code, Errc::kNoMemory) << r.error;
          EXPECT_FALSE(r.error.empty());
        } else if (r.finish != FinishReason::kCancelled) {
          ++kept;
          EXPECT_EQ(r.tokens, want[i]) << i;
        }
      }
    }
    d->loop->forget(5);
    EXPECT_EQ(d->loop->status().pages.active, 0);
    EXPECT_EQ(d->loop->running(), 0);
    EXPECT_EQ(d->loop->waiting(), 0);
    std::vector<Request> again = mix();
    for (size_t i = 0; i < again.size(); ++i)
      if (!again[i].read_ahead) {
        EXPECT_EQ(d->generate(again[i]).tokens, want[i]) << i;
      }
    d->loop->forget(5);
    EXPECT_EQ(d->loop->status().pages.active, 0);
  });
  EXPECT_GT(failures, 50);
  EXPECT_GT(kept, 50);
}

INSTANTIATE_TEST_SUITE_P(Kinds, LoopWithoutMemory,
                         testing::Values(Kind{"all", 0, false, false}, Kind{"window", 100, false, false},
                                         Kind{"state", 0, true, false}, Kind{"disk", 0, false, true},
                                         Kind{"disk_window_state", 100, true, true}),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace skald::loop_without_memory_test
