// The memory of a cache as a whole: what it counts, gives back, and holds at most.
#include "kv/cache.h"

#include <gtest/gtest.h>

#include "kv/sequence.h"

namespace skald::cache_test {
namespace {

const AttentionState kAll = {.n_kv_heads = 1, .d_k = 8, .d_v = 8};

TEST(KvCache, CountsAndGivesBackPagesRunsAndStates) {
  KvCache cache(make_kv_spec({kAll, RecurrentState{8}}, {.layout = "rows", .index = KeyIndex::kInt4}, 1000),
                {.max_keys = 1000, .n_sequences = 2});
  {
    KvSequence s(cache);
    ASSERT_TRUE(s.reserve(100));
    s.set_length(100);
    KvSequence fork = s.fork();
    ASSERT_TRUE(fork.reserve(101));
  }
  const int64_t pages = cache.pool(0).bytes(), runs = cache.index_pool(0).bytes(),
                short_runs = cache.index_pool(0, RunLength::kShort).bytes(), states = cache.recurrent().bytes();
  for (const int64_t bytes : {pages, runs, short_runs, states}) EXPECT_GT(bytes, 0);
  EXPECT_EQ(cache.bytes(), pages + runs + short_runs + states);
  const KvRoom room = cache.room();
  cache.trim();
  EXPECT_EQ(cache.bytes(), 0);
  EXPECT_EQ(cache.room().counts, room.counts);
}

// A state has 16 floats of 4 bytes.
TEST(KvCache, HasNoMoreCheckpointsThanFitIntoTheirBytes) {
  const auto most = [](int64_t bytes) {
    return KvCache(make_kv_spec({RecurrentState{16}}, {}, 1000), {.max_keys = 1000, .checkpoint_bytes = bytes})
        .most_checkpoints();
  };
  EXPECT_EQ(most(63), 0);
  EXPECT_EQ(most(64 * 3 + 63), 3);
  EXPECT_EQ(most(64 * 1000), 32) << "not more than asked for";
}

}  // namespace
}  // namespace skald::cache_test
