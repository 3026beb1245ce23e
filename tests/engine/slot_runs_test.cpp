// Slots of a loop that are saved and restored beside what else it does.
#include "engine/slot_runs.h"

#include <gtest/gtest.h>

#include "tests/engine/fake_stepper.h"
#include "tests/engine/some_tokens.h"
#include "tests/support/errors.h"

namespace skald::slot_runs_test {
namespace {

using test::Driver;
using test::some;
using test::Tokens;

LoopOptions options() { return {.limits = {.n_ctx = 900}, .n_parallel = 2, .rows = 100, .share_prefixes = true}; }

Request asks(Tokens prompt) {
  return {.prompt = std::move(prompt), .max_tokens = 5, .reuse_generated = false, .scope = "me", .sampling = {.seed = 7}};
}

template <class T>
struct Told {
  std::promise<T> promise = {};
  std::future<T> result = promise.get_future();
};

std::future<SlotImage> begin_save(Driver& d) {
  Told<SlotImage> told;
  d.loop->save_slot(0, "me", std::move(told.promise));
  return std::move(told.result);
}

std::future<int64_t> begin_restore(Driver& d, SlotImage image, const std::string& owner = "me") {
  Told<int64_t> told;
  d.loop->restore_slot(1, owner, std::move(image), std::move(told.promise));
  return std::move(told.result);
}

void move(Driver& d) {
  while (d.loop->has_work()) d.loop->step();
}

SlotImage save(Driver& d) {
  std::future<SlotImage> image = begin_save(d);
  move(d);
  return image.get();
}

SlotImage saved(const Tokens& prompt) {
  Driver d(0, options());
  d.generate(asks(prompt));
  return save(d);
}

// The request with its answer as the end of its prompt.
Request with_answer(Driver& d, Request request) {
  const Result first = d.generate(request);
  request.prompt.insert(request.prompt.end(), first.tokens.begin(), first.tokens.end());
  return request;
}

// Nothing is to come any more.
int64_t got(std::future<int64_t>& result) {
  if (result.wait_for(std::chrono::seconds(0)) != std::future_status::ready) throw Error(Errc::kInternal, "it waits");
  return result.get();
}

int64_t restore(Driver& d, SlotImage image) {
  std::future<int64_t> restored = begin_restore(d, std::move(image));
  move(d);
  return got(restored);
}

Errc code_of(std::future<int64_t>& result) {
  return test::error_of([&] { got(result); }).code();
}

TEST(SlotRuns, RestoreWhatIsNotThereYet) {
  const Tokens prompt = some(300, 1);
  const SlotImage image = saved(prompt);
  EXPECT_EQ(image.tokens.size(), 305u);
  ASSERT_EQ(image.records.size(), 4u);
  for (const int64_t there : {0, 150, 300}) {
    Driver d(0, options());
    if (there) d.generate(asks({prompt.begin(), prompt.begin() + there}));
    std::future<int64_t> restored = begin_restore(d, image);
    move(d);
    EXPECT_EQ(got(restored), 305);
    const Result hit = d.generate(asks(prompt));
    EXPECT_EQ(hit.timing.n_cached, 256);
    EXPECT_EQ(hit.tokens, Driver(0).generate(asks(prompt)).tokens) << there;
  }
}

// A text of 300 tokens, of which 200 were generated.
TEST(SlotRuns, RestoreTheKeysOfGeneratedTokens) {
  Request request = asks(some(100, 1));
  request.max_tokens = 200;
  request.reuse_generated = true;
  Driver d(0, options()), other(0, options());
  Request next = with_answer(d, request);
  const SlotImage image = save(d);
  const Result want = d.generate(next);
  ASSERT_EQ(want.timing.n_cached, 256);

  EXPECT_EQ(restore(other, image), 300);
  const Result hit = other.generate(next);
  EXPECT_EQ(hit.timing.n_cached, 256);
  EXPECT_EQ(hit.tokens, want.tokens);
  next.reuse_generated = false;
  EXPECT_EQ(other.generate(next).timing.n_cached, 0) << "another space";
}

// Its past is its own until it is saved. The keys after the last full page are computed again, as a prompt's.
TEST(SlotRuns, RestoreAConversation) {
  Request request = asks(some(300, 1));
  request.reuse_generated = true;
  Driver plain(0, options()), d(0, options()), other(0, options());
  const Result want = plain.generate(with_answer(plain, request));

  request.conversation = 5;
  const Request next = with_answer(d, request);
  EXPECT_EQ(restore(other, save(d)), 305);
  const Result hit = other.generate(next);
  EXPECT_EQ(hit.timing.n_cached, 256);
  EXPECT_EQ(hit.tokens, want.tokens);
}

// Twelve pages, of which a request is about to take nine.
TEST(SlotRuns, AreNotRestoredWithoutRoom) {
  Driver d(640, options());
  std::future<Result> runs = d.submit(asks(some(570, 2)));
  d.loop->step();
  std::future<int64_t> restored = begin_restore(d, saved(some(300, 1)));
  ASSERT_TRUE(d.run());
  EXPECT_EQ(code_of(restored), Errc::kNoMemory);
  EXPECT_EQ(runs.get().error, "");
}

TEST(SlotRuns, OfOthersAreNotWrittenOver) {
  Driver d(0, options());
  const SlotImage image = saved(some(300, 1));
  std::future<int64_t> mine = begin_restore(d, image);
  move(d);
  EXPECT_EQ(got(mine), 305);
  std::future<int64_t> yours = begin_restore(d, image, "you");
  move(d);
  EXPECT_EQ(code_of(yours), Errc::kNotFound);
}

TEST(SlotRuns, LongerThanTheContextAreRefused) {
  LoopOptions o = options();
  o.limits.n_ctx = 304;
  Driver d(0, o);
  std::future<int64_t> restored = begin_restore(d, saved(some(300, 1)));
  move(d);
  EXPECT_EQ(code_of(restored), Errc::kBadFile);
}

TEST(SlotRuns, SayThatTheEngineGaveThemUp) {
  Driver d(0, options());
  d.generate(asks(some(300, 2)));
  std::future<SlotImage> save = begin_save(d);
  std::future<int64_t> restored = begin_restore(d, saved(some(300, 1)));
  d.loop->cancel_all();
  EXPECT_EQ(code_of(restored), Errc::kBusy);
  EXPECT_EQ(test::error_of([&] { save.get(); }).code(), Errc::kBusy);
  EXPECT_EQ(d.loop->status().pages.active, 0);
}

}  // namespace
}  // namespace skald::slot_runs_test
