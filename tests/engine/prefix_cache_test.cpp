// Cached prefixes by themselves: pages that go to the disk and come back, without an engine.
#include "engine/prefix_cache.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/engine/disk_cache.h"
#include "tests/support/temp_dir.h"

namespace skald::prefix_cache_test {
namespace {

using test::some;
using test::Tokens;
using test::operator+;
using Cache = test::DiskCache;

constexpr int64_t kDiskBytes = Cache::kDiskBytes;

bool any_room(const KvRoom&) { return true; }

TEST(PrefixCache, RestoresPagesThatAnotherOneWroteBack) {
  const test::TempDir dir;
  const Tokens prompt = some(300, 1);
  {
    PageStore store(dir.path("s"), kDiskBytes);
    Cache first(store);
    first.leave(prompt);
  }
  PageStore store(dir.path("s"), kDiskBytes);
  Cache second(store);
  EXPECT_EQ(second.fetch(1, prompt, {.scope = "other"}), 0) << "namespaces share nothing";
  EXPECT_EQ(second.fetch(1, prompt), 256);
  EXPECT_EQ(second.prefixes.find({}, prompt), 256);
  EXPECT_EQ(second.fetch(2, prompt), 0) << "it is in memory";
  const KvRoom all = second.pool.room();
  EXPECT_EQ(all.counts[0] + second.prefixes.reclaimable().counts[0], second.pool.pool(0).max_pages());
}

TEST(PrefixCache, FindsAllDamagedPagesBeforeItsRequestGoesOn) {
  const test::TempDir dir;
  const Tokens prompt = some(1000, 1);
  {
    PageStore store(dir.path("s"), kDiskBytes);
    Cache(store).leave(prompt);
  }
  for (const auto& file : std::filesystem::directory_iterator(dir.path("s")))
    std::ofstream(file.path(), std::ios::binary | std::ios::trunc) << "damaged";
  PageStore store(dir.path("s"), kDiskBytes);
  Cache cache(store);
  EXPECT_EQ(cache.fetch(1, prompt), 0);
  EXPECT_EQ(store.status().corrupt, 15);
  EXPECT_EQ(store.status().pages, 0) << "what is computed for them is written";
}

TEST(PrefixCache, LetsRequestsWaitForPagesThatComeForAnother) {
  const test::TempDir dir;
  PageStore store(dir.path("s"), kDiskBytes);
  const Tokens prompt = some(300, 1);
  Cache first(store);
  first.leave(prompt);
  Cache cache(store);
  ASSERT_TRUE(cache.prefixes.fetch(1, {}, prompt, any_room));
  ASSERT_TRUE(cache.prefixes.fetch(2, {}, prompt, any_room));
  while (cache.prefixes.waits(1)) cache.move();
  EXPECT_FALSE(cache.prefixes.waits(2));
  EXPECT_EQ(cache.prefixes.forget(1), 256);
  EXPECT_EQ(cache.prefixes.forget(2), 0) << "they came for the other one";
}

TEST(PrefixCache, LetsNoRequestWaitWithoutRoom) {
  const test::TempDir dir;
  PageStore store(dir.path("s"), kDiskBytes);
  const Tokens prompt = some(300, 1);
  Cache first(store);
  first.leave(prompt);
  Cache cache(store);
  KvRoom asked;
  EXPECT_FALSE(cache.prefixes.fetch(1, {}, prompt, [&](const KvRoom& need) {
    asked = need;
    return false;
  }));
  EXPECT_EQ(asked.counts[0], 4);
  ASSERT_TRUE(cache.prefixes.fetch(1, {}, prompt, any_room));
  EXPECT_TRUE(cache.prefixes.give_up_restore());
  EXPECT_FALSE(cache.prefixes.waits(1));
  EXPECT_FALSE(cache.prefixes.fetch(1, {}, prompt, any_room)) << "it does not ask for the same again";
  EXPECT_FALSE(cache.prefixes.give_up_restore());
}

TEST(PrefixCache, EvictsForPagesThatCome) {
  const test::TempDir dir;
  PageStore store(dir.path("s"), kDiskBytes);
  const Tokens prompt = some(300, 1), other = some(500, 2);
  Cache first(store);
  first.leave(prompt);
  Cache cache(store, /*total_keys=*/512);
  cache.compute(other);
  EXPECT_EQ(cache.fetch(1, prompt), 256);
  EXPECT_GT(cache.prefixes.evictions(), 0);
}

TEST(PrefixCache, ErasesPagesOnTheirWayToTheDisk) {
  const test::TempDir dir;
  const Tokens prompt = some(3000, 1), beginning(prompt.begin(), prompt.begin() + 640);
  {
    PageStore store(dir.path("s"), kDiskBytes);
    Cache cache(store);
    cache.compute(prompt);
    cache.prefixes.write_back({}, prompt);
    EXPECT_EQ(cache.prefixes.unwritten(), 46);
    int calls = 0;
    cache.prefixes.write([&] { return ++calls > 12; });
    EXPECT_EQ(cache.prefixes.unwritten(), 34) << "some are written, some are on their way, the others wait";
    cache.prefixes.erase({}, prompt);
    EXPECT_EQ(cache.prefixes.unwritten(), 0);
    EXPECT_EQ(cache.prefixes.find({}, prompt), 0);
    while (cache.prefixes.has_work()) cache.move();
  }
  PageStore store(dir.path("s"), kDiskBytes);
  Cache cache(store);
  EXPECT_EQ(store.status().pages, 0);
  EXPECT_EQ(cache.fetch(1, beginning), 0);
}

TEST(PrefixCache, ErasesNothingOfOthers) {
  const test::TempDir dir;
  const Tokens common = some(128, 1), a = common + some(100, 2), b = common + some(100, 3);
  PageStore store(dir.path("s"), kDiskBytes);
  {
    Cache cache(store);
    cache.leave(a);
    cache.leave(b);
    cache.compute(a, {.scope = "other"});
    cache.prefixes.write_back({.scope = "other"}, a);
    cache.prefixes.erase({}, a);
    EXPECT_EQ(cache.prefixes.find({}, a), 128);
    EXPECT_EQ(cache.prefixes.find({}, b), 192);
    while (cache.prefixes.unwritten()) cache.move();
  }
  Cache cache(store);
  EXPECT_EQ(cache.fetch(1, b), 192);
  EXPECT_EQ(cache.fetch(2, a), 0) << "beyond what both begin with";
  EXPECT_EQ(cache.fetch(3, a, {.scope = "other"}), 192);
}

TEST(PrefixCache, WritesNothingWithoutADisk) {
  KvCache pool(make_kv_spec({AttentionState{.n_kv_heads = 1, .d_k = 2, .d_v = 2}}, {}, 400), {.max_keys = 400});
  PrefixCache prefixes(pool);
  prefixes.write_back({}, some(300, 1));
  EXPECT_EQ(prefixes.unwritten(), 0);
  EXPECT_FALSE(prefixes.has_work());
  EXPECT_FALSE(prefixes.fetch(1, {}, some(300, 1), any_room));
}

}  // namespace
}  // namespace skald::prefix_cache_test
