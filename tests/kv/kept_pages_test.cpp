// Pages that are only kept: how they are counted.
#include "kv/kept_pages.h"

#include <gtest/gtest.h>

#include <optional>

#include "kv/sequence.h"

namespace skald {
namespace {

class Kept : public testing::Test {
 protected:
  Kept() {
    EXPECT_TRUE(sequence_->reserve(200));
    sequence_->set_length(200);
  }
  int64_t kept() const { return cache_.kept().counts[0]; }
  int64_t taken() const { return cache_.pool(0).taken(); }

  KvCache cache_{make_kv_spec({AttentionState{.n_kv_heads = 1, .d_k = 2, .d_v = 2}}, {}, 1000),
                 {.max_keys = 1000, .n_sequences = 2}};
  std::optional<KvSequence> sequence_{std::in_place, cache_};
};

TEST_F(Kept, CountOnceNobodyUsesThem) {
  const KeptPages pages(sequence_->share(0, 128));
  EXPECT_EQ(kept(), 0);
  EXPECT_TRUE(pages.used());
  EXPECT_EQ(sequence_->owned().counts[0], 4) << "the keeper gives them up";
  sequence_.reset();
  EXPECT_EQ(kept(), 2);
  EXPECT_EQ(taken(), 2);
  EXPECT_FALSE(pages.used());
}

TEST_F(Kept, AreUsedAgainByWhoAdoptsThem) {
  const KeptPages pages(sequence_->share(0, 128));
  sequence_.reset();
  KvSequence next(cache_);
  ASSERT_EQ(next.adopt({&pages.pages(), 1}, 100, {}), 100);
  EXPECT_EQ(kept(), 0);
  KvSequence other = next.fork();
  EXPECT_EQ(next.owned().counts[0], 0) << "another one uses them";
  other.clear();
  next.clear();
  EXPECT_EQ(kept(), 2);
}

TEST_F(Kept, AreFreeWhenTheyAreGivenUp) {
  std::optional<KeptPages> pages(std::in_place, sequence_->share(0, 128));
  std::optional<KeptPages> more(std::in_place, sequence_->share(64, 192));
  sequence_.reset();
  EXPECT_EQ(kept(), 3);
  KeptPages moved = std::move(*pages);
  pages.reset();
  EXPECT_EQ(kept(), 3);
  more.reset();
  EXPECT_EQ(kept(), 2);
  moved.set_group(0, {.pages = {PageRef(), PageRef()}});
  EXPECT_EQ(kept(), 0);
  EXPECT_EQ(taken(), 0);
}

TEST(KeptRuns, GoWithTheirGroup) {
  KvCache cache(make_kv_spec({AttentionState{.n_kv_heads = 1, .d_k = 8, .d_v = 8}},
                             {.layout = "rows", .index = KeyIndex::kInt8}, 1000),
                {.max_keys = 1000, .n_sequences = 2});
  std::optional<KvSequence> sequence(std::in_place, cache);
  ASSERT_TRUE(sequence->reserve(128));
  sequence->set_length(128);
  KeptPages pages(sequence->share(0, 128));
  sequence.reset();
  EXPECT_EQ(cache.kept().counts, (std::vector<int64_t>{2, 1, 0, 0}));
  pages.drop_group(0);
  EXPECT_EQ(cache.kept().counts, (std::vector<int64_t>{0, 0, 0, 0}));
  EXPECT_EQ(cache.pool(0).taken() + cache.index_pool(0).taken(), 0);
}

TEST(KeptStates, AreUsedAsLongAsASequenceHasThem) {
  KvCache cache(make_kv_spec({RecurrentState{8}}, {}, 1000), {.max_keys = 1000, .n_sequences = 2});
  std::optional<KvSequence> sequence(std::in_place, cache);
  ASSERT_TRUE(sequence->reserve(64));
  sequence->set_length(64);
  const KeptPages pages(sequence->share(0, 64));
  EXPECT_TRUE(pages.used());
  sequence.reset();
  EXPECT_FALSE(pages.used());
}

TEST(KvCache, TakesTheGroupWithoutAWindowForTheWidest) {
  const auto group = [](int64_t window) { return AttentionState{.n_kv_heads = 1, .d_k = 2, .d_v = 2, .window = window}; };
  const KvLimits limits{.max_keys = 1000, .max_rows = 500, .n_sequences = 8, .total_keys = 1000};
  EXPECT_EQ(KvCache(make_kv_spec({group(100), group(0)}, {}, 1000), limits).widest(), 1u);
  EXPECT_EQ(KvCache(make_kv_spec({group(100), group(300)}, {}, 1000), limits).widest(), 1u);
  EXPECT_EQ(KvCache(make_kv_spec({RecurrentState{4}}, {}, 1000), limits).widest(), std::nullopt);
}

}  // namespace
}  // namespace skald
