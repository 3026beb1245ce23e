// Sequences whose full pages hold codes: which pages' keys are there as they came, and how far a sequence goes back.
#include "kv/open_pages.h"

#include <gtest/gtest.h>

#include "kv/page_bytes.h"
#include "kv/saved_sequence.h"
#include "kv/sequence.h"

namespace skald::open_pages_test {
namespace {

const AttentionState kAll = {.n_kv_heads = 2, .d_k = 32, .d_v = 2};

class Open : public testing::Test {
 protected:
  static void append(KvSequence& s, int64_t n) {
    ASSERT_TRUE(s.reserve(s.length() + n));
    s.set_length(s.length() + n);
  }
  int64_t taken() const { return cache_.open_pool(0).taken(); }
  static std::byte& first_byte(const KvSequence& s, int64_t slot) { return *s.view(0).open_row(0, slot); }

  KvCache cache_{make_kv_spec({kAll}, {.k_type = "kc8"}, 1000),
                 {.max_keys = 1000, .max_rows = 300, .n_sequences = 3, .rollback = 10}};
};

TEST_F(Open, AreAStepsPagesAndThenThoseThatItCanBeTakenBackTo) {
  KvSequence s(cache_);
  ASSERT_TRUE(s.reserve(250));
  EXPECT_EQ(taken(), 4);
  s.set_length(250);
  EXPECT_EQ(taken(), 1);
  append(s, 10);
  EXPECT_EQ(taken(), 2) << "tokens from 250 on can be taken back";
  append(s, 6);
  EXPECT_EQ(taken(), 1);
  s.clear();
  EXPECT_EQ(taken(), 0);
}

TEST_F(Open, AreNoneWhereKeysHaveNoCodes) {
  KvCache plain(make_kv_spec({kAll}, {}, 1000), {.max_keys = 1000, .max_rows = 300});
  KvSequence s(plain);
  append(s, 250);
  EXPECT_EQ(plain.open_pool(0).taken(), 0);
  EXPECT_EQ(plain.open_pool(0).max_pages(), 0);
  EXPECT_EQ(s.nearest_end(100), 100);
  EXPECT_TRUE(s.truncate(100));
}

TEST_F(Open, LetASequenceGoBackAsFarAsTheCacheSaysOrToAPagesBorder) {
  KvSequence s(cache_);
  append(s, 260);
  EXPECT_TRUE(s.can_take_back(10));
  EXPECT_FALSE(s.can_take_back(11));
  EXPECT_FALSE(s.truncate(191));
  EXPECT_EQ(s.length(), 260);
  EXPECT_EQ(s.nearest_end(251), 251);
  EXPECT_EQ(s.nearest_end(191), 128);
  EXPECT_EQ(s.nearest_end(128), 128);
  EXPECT_TRUE(s.truncate(250));
  EXPECT_TRUE(s.truncate(128));
  append(s, 1);
  EXPECT_EQ(taken(), 1);
}

TEST_F(Open, AreCopiedByTheOwnerThatGoesOnFirst) {
  KvSequence a(cache_);
  append(a, 80);
  first_byte(a, 64) = std::byte{7};
  KvSequence b = a.fork();
  EXPECT_EQ(taken(), 1);
  const KvRoom need = b.need(81);
  EXPECT_EQ(need.counts[3], 1);
  append(b, 1);
  EXPECT_EQ(taken(), 2);
  EXPECT_NE(&first_byte(a, 64), &first_byte(b, 64));
  EXPECT_EQ(first_byte(b, 64), std::byte{7});
  append(a, 1);
  EXPECT_EQ(taken(), 2) << "its page has no other owner";
}

TEST_F(Open, ComeBackFromASavedSequence) {
  KvSequence s(cache_);
  append(s, 130);
  first_byte(s, 129) = std::byte{9};
  const SavedSequence saved(s);
  s.clear();
  EXPECT_EQ(taken(), 0);
  EXPECT_EQ(saved.need().counts[3], 2) << "of 130 tokens, ten of which can be taken back";
  ASSERT_TRUE(saved.restore(s));
  EXPECT_EQ(first_byte(s, 129), std::byte{9});
  EXPECT_TRUE(s.truncate(121));
}

TEST_F(Open, AreNotShared) {
  KvSequence a(cache_), b(cache_);
  append(a, 130);
  const SharedPages pages = a.share(0, 130);
  EXPECT_EQ(b.adopt({&pages, 1}, 130, {}), 128);
  EXPECT_FALSE(b.truncate(127));
}

// A record has a page's codes: nothing says how its keys came.
TEST_F(Open, AreGoneAfterAPageThatCameFromARecord) {
  KvSequence a(cache_), b(cache_);
  append(a, 64);
  const auto bytes = read_page(cache_, a.share(0, 64), RecordPart{});
  ASSERT_TRUE(bytes);
  ASSERT_TRUE(b.reserve(64));
  ASSERT_TRUE(SequenceBytes::write(b, RecordPart{}, *bytes));
  SequenceBytes::end_page(b);
  EXPECT_EQ(b.length(), 64);
  EXPECT_FALSE(b.truncate(60));
}

TEST_F(Open, LetACopyThatMeasuresBeginWhereItsKeysAreThereAsTheyCame) {
  KvSequence s(cache_);
  append(s, 260);
  EXPECT_FALSE(s.fork_before(191)) << "the page's keys are only left as codes";
  for (const int64_t n : {255, 128}) {
    std::optional<KvSequence> copy = s.fork_before(n);
    ASSERT_TRUE(copy);
    append(*copy, 1);
    EXPECT_EQ(copy->length(), n + 1);
    EXPECT_NE(&first_byte(*copy, n), &first_byte(s, 255)) << "it writes to pages of its own";
  }
}

TEST_F(Open, HaveRoomForCopiesBesideFullSequences) {
  const KvLimits limits{.max_keys = 1000, .max_rows = 64, .rollback = 191, .copied = 191};
  KvCache cache(make_kv_spec({kAll}, {.k_type = "kc8"}, 1000), limits);
  KvSequence s(cache);
  while (s.length() < 960) append(s, 64);
  ASSERT_TRUE(s.reserve(1000));
  s.unreserve();
  std::vector<KvSequence> copies;
  for (int i = 0; i < 3; ++i) {
    std::optional<KvSequence> copy = s.fork_before(960 - 191);
    ASSERT_TRUE(copy);
    ASSERT_TRUE(copy->reserve(960));
    copies.push_back(std::move(*copy));
  }
  KvRoom taken;
  for (const KvSequence& copy : copies) taken += copy.owned();
  EXPECT_GE(cache.for_copies().counts[3], taken.counts[3]);
  KvLimits without = limits;
  without.copied = 0;
  EXPECT_GE(most_bytes(cache.spec(), limits) - most_bytes(cache.spec(), without),
            cache.for_copies().counts[3] * cache.spec().groups[0].open_bytes);
}

TEST_F(Open, CountAmongTheBytesOfTheCache) {
  const KvSpec plain = make_kv_spec({kAll}, {}, 1000);
  EXPECT_EQ(cache_.spec().groups[0].open_bytes, 64 * 2 * 32 * 2);
  EXPECT_LT(cache_.spec().groups[0].key_bytes, plain.groups[0].key_bytes * 54 / 100);
  KvSequence s(cache_);
  append(s, 70);
  EXPECT_EQ(cache_.bytes(), cache_.pool(0).bytes() + cache_.open_pool(0).bytes());
  EXPECT_GT(most_bytes(cache_.spec(), cache_.limits()),
            cache_.pool(0).max_pages() * cache_.pool(0).page_bytes() + 3 * cache_.spec().groups[0].open_bytes);
}

}  // namespace
}  // namespace skald::open_pages_test
