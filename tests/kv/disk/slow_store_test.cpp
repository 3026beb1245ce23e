// A store that is slow, silent or dead costs hits, and no time beyond a bound.
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <memory>
#include <thread>

#include "kv/disk/page_store.h"
#include "tests/kv/disk/fake_store.h"

namespace skald::slow_store_test {
namespace {

using namespace std::chrono_literals;
using Clock = PageStore::Clock;
using Payload = PageStore::Payload;
using test::FakeStore;
using test::StoreScript;

constexpr auto kPatience = 50ms, kPause = 100ms;

std::vector<TokenId> tokens_of(int i) { return std::vector<TokenId>(64, i); }
RecordName name_of(int i) { return {next_key({}, tokens_of(i)), {}}; }
Payload payload_of(int i) { return Payload(1000, static_cast<std::byte>(i)); }

class SlowStore : public testing::Test {
 protected:
  ~SlowStore() override { script_.release(); }
  void open(std::chrono::nanoseconds patience = kPatience, std::chrono::nanoseconds pause = kPause) {
    store_ = std::make_unique<PageStore>(std::make_unique<FakeStore>(script_),
                                         StoreLimits{.patience = patience, .pause = pause, .closing = kPatience});
  }
  std::future<std::optional<Payload>> read(int i) {
    auto promise = std::make_shared<std::promise<std::optional<Payload>>>();
    store_->read(name_of(i), tokens_of(i), [promise](std::optional<Payload> p) { promise->set_value(std::move(p)); });
    return promise->get_future();
  }
  bool look(std::vector<RecordName> names) {
    auto promise = std::make_shared<std::promise<void>>();
    if (!store_->look(std::move(names), [promise] { promise->set_value(); })) return false;
    promise->get_future().wait();
    return true;
  }
  template <class F>
  static void until(F&& f) {
    const auto end = Clock::now() + 20s;
    while (!f()) {
      ASSERT_LT(Clock::now(), end);
      std::this_thread::sleep_for(1ms);
    }
  }
  void wait_until_up(bool up) {
    until([&] { return store_->status().up == up; });
  }

  StoreScript script_;
  std::unique_ptr<PageStore> store_;
};

TEST_F(SlowStore, KnowsAfterALookWhatOthersWrote) {
  open();
  script_.put(name_of(1), payload_of(1));
  EXPECT_FALSE(store_->has(name_of(1)));
  EXPECT_TRUE(look({name_of(1), name_of(2)}));
  EXPECT_TRUE(store_->has(name_of(1)));
  EXPECT_FALSE(store_->has(name_of(2)));
  EXPECT_EQ(read(1).get(), payload_of(1));
  EXPECT_FALSE(look({name_of(1)})) << "it is known";
  EXPECT_EQ(store_->status().found, 2);
}

// A request that waits asks again and again.
TEST_F(SlowStore, LooksForARecordOnceASecond) {
  open();
  const auto begun = Clock::now();
  EXPECT_TRUE(look({name_of(1)}));
  script_.put(name_of(1), payload_of(1));
  const bool asked = look({name_of(1)});
  EXPECT_FALSE(asked && Clock::now() - begun < PageStore::kAbsentFor);
  std::this_thread::sleep_until(begun + PageStore::kAbsentFor + 10ms);
  look({name_of(1)});
  EXPECT_TRUE(store_->has(name_of(1)));
  EXPECT_EQ(store_->status().missed, asked ? 1 : 2);
}

TEST_F(SlowStore, LooksForALongPromptNoFurtherThanItsFirstGap) {
  open();
  std::vector<RecordName> names;
  for (int i = 0; i < 1000; ++i) names.push_back(name_of(i));
  EXPECT_TRUE(look(names));
  EXPECT_EQ(script_.looked(), 8u);
  for (int i = 0; i < 100; ++i) script_.put(name_of(i), payload_of(i));
  std::this_thread::sleep_for(PageStore::kAbsentFor + 10ms);
  EXPECT_TRUE(look(names));
  EXPECT_TRUE(store_->has(name_of(99)));
  EXPECT_LT(script_.looked(), 200u);
}

TEST_F(SlowStore, AnswersWithNoneWithinItsPatienceWhereItHangs) {
  open();
  script_.put(name_of(1), payload_of(1));
  ASSERT_TRUE(look({name_of(1)}));
  script_.hang();
  const auto begun = Clock::now();
  auto first = read(1), second = read(1);
  EXPECT_EQ(first.get(), std::nullopt);
  EXPECT_EQ(second.get(), std::nullopt);
  EXPECT_GE(Clock::now() - begun, kPatience);
  EXPECT_LT(Clock::now() - begun, 10s);
  EXPECT_EQ(store_->status().errors, 1);
}

TEST_F(SlowStore, HasNothingAndTakesNothingWhileItIsDown) {
  open();
  script_.put(name_of(1), payload_of(1));
  ASSERT_TRUE(look({name_of(1)}));
  script_.hang();
  EXPECT_EQ(read(1).get(), std::nullopt);
  EXPECT_FALSE(store_->has(name_of(1)));
  EXPECT_FALSE(store_->can_write());
  EXPECT_FALSE(look({name_of(2)})) << "no request waits again";
}

// A request that has some of its pages asks for the rest.
TEST_F(SlowStore, AnswersAtOnceWhileItIsDown) {
  open(1min, 1min);
  script_.die();
  EXPECT_TRUE(look({name_of(1)}));
  const auto begun = Clock::now();
  EXPECT_EQ(read(1).get(), std::nullopt);
  EXPECT_LT(Clock::now() - begun, 30s);
  EXPECT_EQ(store_->status().errors, 1);
}

TEST_F(SlowStore, IsTriedAgainByItsOwnThread) {
  open();
  script_.put(name_of(1), payload_of(1));
  script_.die();
  EXPECT_TRUE(look({name_of(1)}));
  EXPECT_FALSE(store_->status().up);
  until([&] { return std::ranges::count(script_.asked(), "reach") >= 2; });
  script_.die(false);
  std::promise<void> told;
  store_->on_room(&told, [&, once = false]() mutable {
    if (!std::exchange(once, true)) told.set_value();
  });
  told.get_future().wait();
  EXPECT_TRUE(store_->status().up);
  std::this_thread::sleep_for(PageStore::kAbsentFor + 10ms);
  EXPECT_TRUE(look({name_of(1)}));
  EXPECT_EQ(read(1).get(), payload_of(1));
  store_->forget(&told);
}

TEST_F(SlowStore, IsTriedLessAndLessOften) {
  StoreBreaker breaker(1s, 5s);
  const StoreBreaker::Clock::time_point now{};
  for (const auto pause : {1s, 2s, 4s, 5s, 5s}) {
    breaker.fail(now);
    EXPECT_TRUE(breaker.is_open());
    EXPECT_EQ(breaker.retry_at() - now, pause);
  }
  breaker.succeed();
  EXPECT_FALSE(breaker.is_open());
  breaker.fail(now);
  EXPECT_EQ(breaker.retry_at() - now, 1s);
}

TEST_F(SlowStore, MayBeUnreachableAtTheStart) {
  script_.reached_at_once = false;
  script_.die();
  open();
  EXPECT_FALSE(store_->can_write());
  EXPECT_FALSE(look({name_of(1)}));
  script_.die(false);
  wait_until_up(true);
  store_->write(name_of(1), tokens_of(1), payload_of(1));
  until([&] { return read(1).get() == payload_of(1); });
}

// An answer that comes too late is dropped.
TEST_F(SlowStore, GivesEachAnswerOnce) {
  open();
  script_.put(name_of(1), payload_of(1));
  script_.put(name_of(2), payload_of(2));
  script_.hang();
  EXPECT_EQ(read(1).get(), std::nullopt);
  script_.release();
  wait_until_up(true);
  EXPECT_EQ(read(2).get(), payload_of(2));
}

TEST_F(SlowStore, ErasesWhenItIsThereAgain) {
  open();
  script_.put(name_of(1), payload_of(1));
  ASSERT_TRUE(look({name_of(1)}));
  script_.die();
  store_->erase(std::vector<RecordName>{name_of(1)});
  wait_until_up(false);
  script_.die(false);
  wait_until_up(true);
  until([&] { return std::ranges::count(script_.asked(), "remove") >= 2; });
  until([&] { return read(1).get() == std::nullopt; });
}

TEST_F(SlowStore, EndsThoughItIsDownOrSlow) {
  open();
  script_.hang();
  for (int i = 0; i < 3; ++i) store_->write(name_of(i), tokens_of(i), payload_of(i));
  until([&] { return script_.hangs_now(); });
  std::thread later([&] {
    std::this_thread::sleep_for(2 * kPatience);
    script_.release();
  });
  const auto begun = Clock::now();
  store_.reset();
  EXPECT_LT(Clock::now() - begun, 10s);
  EXPECT_EQ(std::ranges::count(script_.asked(), "write"), 1) << "the time to end is over";
  later.join();
}

}  // namespace
}  // namespace skald::slow_store_test
