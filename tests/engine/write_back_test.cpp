// Prompts on their way to the disk: which go first, and what stays.
#include "engine/write_back.h"

#include <gtest/gtest.h>

#include "kv/disk/record_file.h"
#include "kv/page_bytes.h"
#include "tests/engine/disk_cache.h"
#include "tests/support/temp_dir.h"

namespace skald::write_back_test {
namespace {

using test::some;
using test::Tokens;
using Cache = test::DiskCache;

TEST(WritingBack, LeavesOutTheOldestOfTooManyPrompts) {
  const test::TempDir dir;
  PageStore store(dir.path("s"), Cache::kDiskBytes);
  const Tokens first = some(64, 1), second = some(64, 2), last = some(64, 3);
  {
    Cache cache(store);
    for (const Tokens& prompt : {first, second, last}) cache.compute(prompt);
    cache.prefixes.write_back({}, first);
    cache.prefixes.write_back({}, second);
    for (uint64_t i = 0; i < 1022; ++i) cache.prefixes.write_back({}, some(64, 10 + i));
    cache.prefixes.write_back({}, last);
    EXPECT_EQ(cache.prefixes.unwritten(), 1024);
    while (cache.prefixes.unwritten()) cache.move();
  }
  Cache cache(store);
  EXPECT_EQ(cache.fetch(1, first), 0);
  EXPECT_EQ(cache.fetch(2, second), 64);
  EXPECT_EQ(cache.fetch(3, last), 64);
}

// Of three prompts of four pages the disk has room for two and a half.
TEST(WritingBack, AgainMeansThatItWasUsed) {
  const test::TempDir dir;
  const Tokens a = some(256, 1), b = some(256, 2), c = some(128, 3);
  const KvCache like(make_kv_spec({AttentionState{.n_kv_heads = 1, .d_k = 2, .d_v = 2}}, {}, 4000), {.max_keys = 4000});
  PageStore store(dir.path("s"), 8 * (kRecordHead + payload_bytes(like, {}, 0)));
  {
    Cache cache(store);
    const auto leave = [&](const Tokens& prompt, int64_t written) {
      cache.leave(prompt);
      while (store.status().pages_written < written) std::this_thread::yield();
    };
    leave(a, 4);
    leave(b, 8);
    leave(a, 8);
    leave(c, 10);
  }
  Cache cache(store);
  EXPECT_EQ(cache.fetch(1, a), 256);
  EXPECT_EQ(cache.fetch(2, b), 128);
  EXPECT_EQ(cache.fetch(3, c), 128);
}

// A hit ends at the prompt's end only with its windows, which are evicted before the pages of all keys are.
TEST(WritingBack, BeginsWithTheWindowsOfThePromptsEnd) {
  const test::TempDir dir;
  PageStore store(dir.path("s"), Cache::kDiskBytes);
  AttentionState window = Cache::kAll;
  window.window = 100;
  Cache cache(store, 0, {Cache::kAll, window});
  const Tokens prompt = some(640, 1);
  cache.compute(prompt);
  cache.prefixes.write_back({}, prompt);
  int calls = 0;
  cache.prefixes.move([&] { return ++calls > 4; });
  const auto keys = cache.disk.keys("", prompt);
  const RecordPart page{}, of_window{1};
  EXPECT_TRUE(cache.disk.has({keys[9], of_window}));
  EXPECT_TRUE(cache.disk.has({keys[8], of_window}));
  EXPECT_FALSE(cache.disk.has({keys[9], page}));
  while (cache.prefixes.unwritten()) cache.move();
  EXPECT_TRUE(cache.disk.has({keys[9], page}));
}

// Keys of a prompt that saw generated ones have other bits than those of the text as a prompt.
TEST(WritingBack, EndsBeforeGeneratedKeys) {
  const test::TempDir dir;
  const Tokens text = some(300, 1);
  const Cache::Namespace ns{.scope = {}, .generated = true};
  {
    PageStore store(dir.path("s"), Cache::kDiskBytes);
    Cache cache(store);
    KvSequence kv(cache.pool);
    ASSERT_TRUE(kv.reserve(300));
    kv.set_length(100);
    kv.set_length(120, {.generated = true});
    kv.set_length(300);
    cache.prefixes.keep(ns, text, kv);
    cache.write(text, ns);
  }
  EXPECT_EQ(PageStore(dir.path("s"), Cache::kDiskBytes).status().pages, 1);
}

}  // namespace
}  // namespace skald::write_back_test
