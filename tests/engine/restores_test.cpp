// Pages on their way from the disk: who waits for which of them, and how long.
#include "engine/restores.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/engine/disk_cache.h"
#include "tests/support/temp_dir.h"

namespace skald::restores_test {
namespace {

using test::some;
using test::Tokens;
using Cache = test::DiskCache;

class Restoring : public testing::Test {
 protected:
  bool fetch(RequestId id, const Tokens& prompt, const Cache::Namespace& ns = {}) {
    return cache_.prefixes.fetch(id, ns, prompt, Cache::any_room);
  }
  void leave(const Tokens& prompt, const Cache::Namespace& ns = {}) {
    Cache cache(store_);
    cache.leave(prompt, ns);
    written_ += std::ssize(prompt) / kPageKeys;
    while (store_.status().pages_written < written_) std::this_thread::yield();
  }
  // Until the store has said what it read: it does so in order.
  void wait_for_reads() {
    std::promise<void> done;
    store_.read({}, {}, [&](const auto&) { done.set_value(); });
    done.get_future().wait();
  }

  test::TempDir dir_;
  PageStore store_{dir_.path("s"), Cache::kDiskBytes};
  Cache cache_{store_};
  int64_t written_ = 0;
};

TEST_F(Restoring, EndsForEachRequestByItself) {
  const Tokens small = some(100, 1), large = some(300, 2);
  leave(small);
  leave(large);
  ASSERT_TRUE(fetch(1, small));
  ASSERT_TRUE(fetch(2, large));
  wait_for_reads();
  const auto over = [] { return true; };  // a page of each is the least
  cache_.prefixes.move(over);
  EXPECT_FALSE(cache_.prefixes.waits(1));
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(cache_.prefixes.waits(2));
    cache_.prefixes.move(over);
  }
  EXPECT_FALSE(cache_.prefixes.waits(2));
  EXPECT_EQ(cache_.prefixes.forget(1), 64);
  EXPECT_EQ(cache_.prefixes.forget(2), 256);
}

TEST_F(Restoring, OfTheSamePromptIsForEachScope) {
  const Tokens prompt = some(300, 1);
  leave(prompt);
  leave(prompt, {.scope = "other"});
  ASSERT_TRUE(fetch(1, prompt));
  ASSERT_TRUE(fetch(2, prompt, {.scope = "other"}));
  while (cache_.prefixes.waits(1) || cache_.prefixes.waits(2)) cache_.move();
  EXPECT_EQ(cache_.prefixes.forget(1), 256);
  EXPECT_EQ(cache_.prefixes.forget(2), 256);
}

TEST_F(Restoring, IsForAFewRequestsAtATime) {
  int asked = 0;
  const auto room = [&](const KvRoom&) { return ++asked > 0; };
  for (uint64_t i = 1; i <= 6; ++i) leave(some(100, i));
  for (uint64_t i = 1; i <= 6; ++i)
    EXPECT_TRUE(cache_.prefixes.fetch(static_cast<RequestId>(i), {}, some(100, i), room)) << "it waits in any case";
  EXPECT_EQ(asked, 4);
  while (cache_.prefixes.waits(5) && cache_.prefixes.waits(6)) cache_.move();
  EXPECT_EQ(cache_.fetch(5, some(100, 5)), 64);
}

TEST_F(Restoring, EndsWithTheRequestThatWants) {
  const Tokens prompt = some(300, 1);
  leave(prompt);
  ASSERT_TRUE(fetch(1, prompt));
  EXPECT_EQ(cache_.prefixes.forget(1), 0);
  EXPECT_EQ(cache_.fetch(2, prompt), 256) << "it has the pages read for itself";
}

// Those after a page that is gone are of no use.
TEST_F(Restoring, EndsBeforeAPageWhoseFileIsGone) {
  const Tokens prompt = some(300, 1);
  leave(prompt);
  const std::vector<PageKey> keys = page_keys(root_key({}, ""), prompt);
  std::filesystem::remove(dir_.path("s/" + file_name({keys[2], {}})));
  EXPECT_EQ(cache_.fetch(1, prompt), 128);
  EXPECT_EQ(cache_.prefixes.find({}, prompt), 128);
}

TEST_F(Restoring, IsGivenUpForRequestsAlone) {
  const Tokens prompt = some(64, 1);
  cache_.prefixes.restore(Restore(0, {}, prompt, KvSequence(cache_.pool), {{0, {}}}));
  EXPECT_FALSE(cache_.prefixes.give_up_restore()) << "a request waits for the slot";
}

}  // namespace
}  // namespace skald::restores_test
