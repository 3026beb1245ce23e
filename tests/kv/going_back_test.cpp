// How far a sequence goes back, and what it knows of a step that did not end.
#include <gtest/gtest.h>

#include <utility>

#include "kv/sequence.h"

namespace skald::going_back_test {
namespace {

const AttentionState kAll = {.n_kv_heads = 1, .d_k = 2, .d_v = 2},
                     kWindow = {.n_kv_heads = 1, .d_k = 2, .d_v = 2, .window = 100};

void append(KvSequence& s, int64_t n) {
  ASSERT_TRUE(s.reserve(s.length() + n));
  s.set_length(s.length() + n);
}

TEST(GoingBack, AfterAWindowIsPossibleForAsManyTokensAsTheCacheSays) {
  KvCache cache(make_kv_spec({kWindow, kAll}, {}, 1000), {.max_keys = 1000, .max_rows = 500, .rollback = 64});
  KvSequence s(cache);
  append(s, 500);
  EXPECT_TRUE(s.can_take_back(64));
  EXPECT_FALSE(s.can_take_back(65));
  EXPECT_FALSE(s.truncate(500 - 65));
  EXPECT_EQ(s.length(), 500);
  EXPECT_TRUE(s.truncate(500 - 64));
}

TEST(GoingBack, EndsAtWhatWasDropped) {
  KvCache cache(make_kv_spec({kAll}, {}, 1000), {.max_keys = 1000, .max_rows = 500});
  KvSequence s(cache);
  append(s, 250);
  s.drop(10, 60);
  for (const int64_t n : {5, 10, 69}) EXPECT_FALSE(s.truncate(n)) << n;
  EXPECT_EQ(s.length(), 250);
  EXPECT_TRUE(s.truncate(70));
  EXPECT_EQ(s.held(), 10);
}

TEST(GoingBack, LeavesAPrefixWhole) {
  KvCache cache(make_kv_spec({kAll}, {}, 1000), {.max_keys = 1000, .max_rows = 500});
  KvSequence s(cache);
  s.set_prefix(90);
  append(s, 200);
  KvSequence fork = s.fork();
  for (KvSequence* one : {&s, &fork}) {
    EXPECT_EQ(one->prefix(), 90);
    EXPECT_FALSE(one->truncate(89));
    EXPECT_TRUE(one->truncate(90));
  }
}

// Sums of values are made again from those that are left: truncate() takes no such sum.
TEST(GoingBack, IsPossibleOnACopyThatMeasures) {
  KvCache cache(make_kv_spec({kWindow, kAll}, {.value_sums = true}, 6000),
                {.max_keys = 6000, .max_rows = 500, .n_sequences = 2, .rollback = 64});
  KvSequence s(cache);
  for (int i = 0; i < 11; ++i) append(s, 500);
  EXPECT_FALSE(s.truncate(5500 - 64));
  EXPECT_FALSE(s.fork_before(5500 - 65)) << "its window is gone";
  EXPECT_FALSE(s.fork_before(0));
  std::optional<KvSequence> copy = s.fork_before(5500 - 64);
  ASSERT_TRUE(copy);
  EXPECT_EQ(copy->length(), 5500 - 64);
  append(*copy, 64);
  EXPECT_EQ(s.length(), 5500);
}

TEST(GoingBack, TakesNoMemoryForACopyWherePagesAreFree) {
  KvCache cache(make_kv_spec({kAll}, {.index = KeyIndex::kInt8}, 4000), {.max_keys = 4000, .max_rows = 500, .copied = 64});
  KvSequence s(cache);
  append(s, 500);
  const int64_t bytes = cache.pool(0).bytes();
  std::optional<KvSequence> copy = s.fork_before(468);
  ASSERT_TRUE(copy);
  append(*copy, 32);
  EXPECT_EQ(cache.pool(0).bytes(), bytes);
}

TEST(GoingBack, HasRoomForCopiesBesideFullSequences) {
  KvCache cache(make_kv_spec({kWindow, kAll}, {.index = KeyIndex::kInt8}, 1000),
                {.max_keys = 1000, .max_rows = 1000, .rollback = 128, .copied = 128});
  KvSequence s(cache);
  append(s, 1000);
  std::vector<KvSequence> copies;
  for (int i = 0; i < 3; ++i) {
    std::optional<KvSequence> copy = s.fork_before(1000 - 128);
    ASSERT_TRUE(copy);
    append(*copy, 128);
    copies.push_back(std::move(*copy));
  }
}

class States : public testing::Test {
 protected:
  KvCache cache_{make_kv_spec({kAll, RecurrentState{8}}, {}, 1000), {.max_keys = 1000, .n_sequences = 4}};
};

// A move does not make them whole.
TEST_F(States, AreHalfDoneFromReserveOn) {
  KvSequence s(cache_);
  append(s, 64);
  EXPECT_TRUE(s.truncate(64));
  ASSERT_TRUE(s.reserve(100));
  EXPECT_FALSE(s.truncate(64));
  EXPECT_EQ(s.share(0, 64).recurrent, nullptr);
  KvSequence moved(std::move(s)), assigned(cache_);
  EXPECT_FALSE(moved.truncate(64));
  assigned = std::move(moved);
  EXPECT_FALSE(assigned.truncate(64));
}

TEST_F(States, AreWholeWhereTheStepDidNotBegin) {
  KvSequence s(cache_);
  append(s, 64);
  ASSERT_TRUE(s.reserve(100));
  s.unreserve();
  EXPECT_NE(s.share(0, 64).recurrent, nullptr);
  EXPECT_TRUE(s.truncate(64));
}

TEST_F(States, ThatAreTakenOverAfterAFailedStepAreWhole) {
  KvSequence s(cache_), next(cache_);
  append(s, 64);
  ASSERT_TRUE(next.reserve(10));
  next.clear();
  const SharedPages pages = s.share(0, 64);
  ASSERT_EQ(next.adopt({&pages, 1}, 64, {}), 64);
  EXPECT_TRUE(next.truncate(64));
}

TEST_F(States, ThatOthersUseTooAreNotItsOwn) {
  KvSequence s(cache_);
  append(s, 64);
  EXPECT_EQ(s.owned().counts.back(), 1);
  const KvSequence fork = s.fork();
  EXPECT_EQ(s.owned().counts.back(), 0);
  append(s, 1);
  EXPECT_EQ(s.owned().counts.back(), 1) << "a copy";
}

/// Sums of keys that sparse decoding keeps beside the pages.
class KeyMemos : public testing::Test {
 protected:
  static std::byte* sums(const KvSequence& s) { return s.view(0).key_sums; }

  KvCache cache_{make_kv_spec({kAll}, {.layout = "rows", .key_sums = true}, 1000), {.max_keys = 1000, .n_sequences = 2}};
  KvSequence s_{cache_};
};

TEST_F(KeyMemos, GoWithTheFirstOfTheirPages) {
  append(s_, 200);
  append(s_, 1);
  ASSERT_NE(sums(s_), nullptr);
  ASSERT_TRUE(s_.truncate(192));
  EXPECT_NE(sums(s_), nullptr);
  ASSERT_TRUE(s_.truncate(191));
  EXPECT_EQ(sums(s_), nullptr);
}

TEST_F(KeyMemos, AreForgottenWithTheText) {
  append(s_, 200);
  s_.clear();
  EXPECT_EQ(sums(s_), nullptr);
}

TEST_F(KeyMemos, AreTakenAlongAndCopied) {
  append(s_, 200);
  std::byte* const at = sums(s_);
  *at = std::byte{7};
  const KvSequence moved(std::move(s_));
  EXPECT_EQ(sums(moved), at);
  const KvSequence fork = moved.fork();
  ASSERT_NE(sums(fork), nullptr);
  EXPECT_NE(sums(fork), at);
  EXPECT_EQ(*sums(fork), std::byte{7});
}

TEST_F(KeyMemos, AreLearnedFromAForkThatHasGoneOn) {
  append(s_, 200);
  KvSequence fork = s_.fork();
  append(fork, 1);
  *sums(fork) = std::byte{7};
  s_.learn_from(fork);
  EXPECT_NE(sums(s_), sums(fork));
  EXPECT_EQ(*sums(s_), std::byte{7});
  append(s_, 1);
  ASSERT_TRUE(s_.truncate(192));
  EXPECT_EQ(*sums(s_), std::byte{7}) << "it knows no pages after those that were full";
  ASSERT_TRUE(s_.truncate(191));
  EXPECT_EQ(sums(s_), nullptr);
}

}  // namespace
}  // namespace skald::going_back_test
