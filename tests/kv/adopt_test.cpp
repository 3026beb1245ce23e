// Pages that others computed: how many tokens of them a sequence takes.
#include <gtest/gtest.h>

#include <vector>

#include "kv/saved_sequence.h"
#include "kv/sequence.h"

namespace skald::adopt_test {
namespace {

using Keys = ReusePolicy::Keys;

const AttentionState kAll = {.n_kv_heads = 1, .d_k = 2, .d_v = 2},
                     kWindow = {.n_kv_heads = 1, .d_k = 2, .d_v = 2, .window = 100};

void append(KvSequence& s, int64_t n, KeyOrigin origin = {}) {
  ASSERT_TRUE(s.reserve(s.length() + n));
  s.set_length(s.length() + n, origin);
}

class Adopt : public testing::Test {
 protected:
  int64_t adopted(const std::vector<SharedPages>& path, int64_t n, ReusePolicy reuse = {}) {
    KvSequence s(cache_);
    return s.adopt(path, n, reuse);
  }
  KvCache cache_{make_kv_spec({kAll}, {}, 1000), {.max_keys = 1000, .n_sequences = 4}};
};

TEST_F(Adopt, TakesAsManyTokensAsAsked) {
  KvSequence a(cache_);
  append(a, 200);
  const std::vector<SharedPages> path{a.share(0, 128), a.share(128, 200)};
  for (const int64_t n : {0, 1, 64, 100, 128, 150, 200}) EXPECT_EQ(adopted(path, n), n);
  EXPECT_EQ(adopted(path, 500), 200);
  EXPECT_EQ(adopted({}, 500), 0);
}

TEST_F(Adopt, CopiesNothingUntilItGoesOn) {
  KvSequence a(cache_), b(cache_);
  append(a, 200);
  const int64_t taken = cache_.pool(0).taken();
  const SharedPages pages = a.share(0, 200);
  ASSERT_EQ(b.adopt({&pages, 1}, 150, {}), 150);
  EXPECT_EQ(cache_.pool(0).taken(), taken);
  EXPECT_EQ(b.view(0).pages[1], a.view(0).pages[1]);
  append(b, 1);
  EXPECT_EQ(cache_.pool(0).taken(), taken + 1);
}

TEST_F(Adopt, TakesPagesThatHadKeysOfAnotherKindBefore) {
  {
    KvSequence a(cache_);
    append(a, 100, {.generated = true, .policy = 3});
    a.drop(10, 50);
    append(a, 100, {.generated = true, .policy = 4});
  }
  KvSequence b(cache_);
  append(b, 150);
  EXPECT_EQ(adopted({b.share(0, 150)}, 150), 150);
}

TEST_F(Adopt, EndsBeforeGeneratedKeysUnlessTheyAreWanted) {
  KvSequence a(cache_);
  append(a, 100);
  append(a, 5, {.generated = true, .policy = 3});
  append(a, 60);
  const std::vector<SharedPages> path{a.share(0, 165)};
  EXPECT_EQ(adopted(path, 165), 100);
  EXPECT_EQ(adopted(path, 165, {Keys::kSamePolicy, 3}), 165);
  EXPECT_EQ(adopted(path, 165, {Keys::kSamePolicy, 0}), 100);
  EXPECT_EQ(adopted(path, 165, {Keys::kAll}), 165);
}

TEST_F(Adopt, EndsBeforeGeneratedKeysOfAPageThatWasCopied) {
  KvSequence a(cache_);
  append(a, 100);
  append(a, 5, {.generated = true, .policy = 3});
  KvSequence b = a.fork();
  append(b, 40);
  EXPECT_EQ(adopted({b.share(0, 145)}, 145), 100);
}

TEST_F(Adopt, TakesNothingThatSawADroppedPast) {
  KvSequence a(cache_);
  append(a, 300);
  a.drop(70, 100);
  append(a, 100);
  EXPECT_EQ(a.share(0, 400).end, 70) << "positions after what was dropped are of no other sequence";
  EXPECT_EQ(adopted({a.share(0, 70)}, 70), 70);
}

TEST_F(Adopt, TakesAPrefixWholeAndOnlyFromItsLike) {
  KvSequence a(cache_), plain(cache_), same(cache_);
  a.set_prefix(90);
  append(a, 200);
  const SharedPages pages = a.share(0, 200);
  EXPECT_EQ(plain.adopt({&pages, 1}, 200, {}), 0);
  same.set_prefix(90);
  EXPECT_EQ(same.adopt({&pages, 1}, 80, {}), 0);
  EXPECT_EQ(same.adopt({&pages, 1}, 95, {}), 95);
}

TEST(AdoptWindows, NeedsThePagesThatTheNextTokenSees) {
  KvCache cache(make_kv_spec({kWindow, kAll}, {}, 2000), {.max_keys = 2000, .max_rows = 500, .n_sequences = 4, .sinks = 3});
  KvSequence early(cache), late(cache);
  append(early, 128);
  const SharedPages first = early.share(0, 128);
  append(late, 500);
  const SharedPages all = late.share(0, 500);
  KvSequence r(cache), s(cache);
  EXPECT_EQ(r.adopt({&all, 1}, 300, {}), 64) << "its window's pages are gone, but for the one that holds sinks";
  ASSERT_EQ(s.adopt({&all, 1}, 500, {}), 500);
  EXPECT_EQ(s.view(0).begin + s.view(0).shift, 401);
  KvSequence t(cache);
  EXPECT_EQ(t.adopt({&first, 1}, 128, {}), 128);
  append(t, 400);
  EXPECT_EQ(t.view(0).shift, late.view(0).shift);
}

TEST(AdoptStates, EndsWhereAStateIs) {
  KvCache cache(make_kv_spec({kAll, RecurrentState{8}}, {}, 1000), {.max_keys = 1000, .n_sequences = 4});
  KvSequence a(cache);
  append(a, 128);
  std::vector<SharedPages> path{a.share(0, 128)};
  append(a, 100);
  path.push_back(a.share(128, 228));
  const auto adopted = [&](int64_t n) {
    KvSequence s(cache);
    return s.adopt(path, n, {});
  };
  EXPECT_EQ(adopted(228), 228);
  EXPECT_EQ(adopted(227), 128);
  EXPECT_EQ(adopted(127), 0);
  EXPECT_EQ(a.share(0, 100).recurrent, nullptr);
}

TEST(Saved, KnowsHowItsKeysWereMade) {
  KvCache cache(make_kv_spec({kAll}, {}, 1000), {.max_keys = 1000, .n_sequences = 2});
  KvSequence a(cache), b(cache);
  a.set_prefix(70);
  b.set_prefix(70);
  append(a, 100);
  append(a, 60, {.generated = true, .policy = 3});
  const SavedSequence saved(a);
  KvSequence again(cache);
  ASSERT_TRUE(saved.restore(again));
  EXPECT_EQ(again.prefix(), 70);
  EXPECT_FALSE(again.truncate(69));
  const SharedPages pages = again.share(0, 160);
  EXPECT_EQ(b.adopt({&pages, 1}, 160, {}), 100);
}

TEST(Saved, TakesItsRoomAndGivesItBack) {
  KvCache cache(make_kv_spec({kWindow, kAll, RecurrentState{8}}, {}, 300), {.max_keys = 300, .n_sequences = 1});
  KvSequence a(cache);
  append(a, 250);
  const KvRoom full = [&] {
    KvRoom room = cache.room();
    return room += a.owned();
  }();
  const SavedSequence saved(a);
  a.clear();
  EXPECT_EQ(cache.room().counts, full.counts);
  KvSequence other(cache);
  append(other, 250);
  EXPECT_FALSE(saved.restore(a));
  EXPECT_EQ(a.length(), 0);
  other.clear();
  ASSERT_TRUE(saved.restore(a));
  EXPECT_EQ(a.length(), 250);
  KvRoom left = cache.room();
  left += saved.need();
  EXPECT_EQ(left.counts, full.counts);
}

}  // namespace
}  // namespace skald::adopt_test
