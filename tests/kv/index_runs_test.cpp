// Runs of the key index that sequences share: who goes on leaves them at a page's border.
#include "kv/index_runs.h"

#include <gtest/gtest.h>

#include <vector>

#include "kv/sequence.h"

namespace skald {
namespace {

class Runs : public testing::Test {
 protected:
  KvSequence with(int64_t n) {
    KvSequence s(cache_);
    EXPECT_TRUE(s.reserve(n));
    s.set_length(n);
    return s;
  }
  static void append(KvSequence& s, int64_t n = 1) {
    ASSERT_TRUE(s.reserve(s.length() + n));
    s.set_length(s.length() + n);
  }
  static const IndexRun& run(const KvSequence& s, int64_t i) { return s.view(0).index.runs[i]; }
  int64_t taken(RunLength length) { return cache_.index_pool(0, length).taken(); }

  KvCache cache_{make_kv_spec({AttentionState{.n_kv_heads = 1, .d_k = 8, .d_v = 8}},
                              {.layout = "rows", .index = KeyIndex::kInt8, .value_sums = true}, 10000),
                 {.max_keys = 10000, .n_sequences = 4}};
  const int64_t long_ = cache_.spec().groups[0].run_keys, short_ = cache_.spec().groups[0].short_keys;
};

TEST_F(Runs, OfASequenceThatNobodySharesAreLong) {
  const KvSequence s = with(long_ + 5);
  EXPECT_EQ(taken(RunLength::kLong), 2);
  EXPECT_EQ(taken(RunLength::kShort), 0);
  EXPECT_EQ(run(s, 1).first, long_);
}

TEST_F(Runs, AForkSharesThemUpToAPageAndGoesOnInAShortOne) {
  KvSequence a = with(1000);
  KvSequence b = a.fork();
  EXPECT_EQ(taken(RunLength::kLong), 1) << "nothing is taken before a sequence goes on";
  append(b);
  EXPECT_EQ(taken(RunLength::kLong), 1);
  EXPECT_EQ(taken(RunLength::kShort), 1);
  EXPECT_EQ(run(b, 0).data, run(a, 0).data);
  EXPECT_EQ(run(b, 0).end, 960);
  EXPECT_EQ(run(b, 1).first, 960);
  EXPECT_EQ(run(b, 1).end, 960 + short_);
  append(a);
  EXPECT_EQ(taken(RunLength::kShort), 2) << "the run is b's too";
}

TEST_F(Runs, GoOnInTheOldOneWhenTheForkIsGone) {
  KvSequence a = with(1000);
  { const KvSequence b = a.fork(); }
  append(a);
  EXPECT_EQ(taken(RunLength::kShort), 0);
}

TEST_F(Runs, AreLongAgainInTheNextBlock) {
  KvSequence a = with(1000);
  KvSequence b = a.fork();
  append(b, long_ - 1000 + 1);
  const KeyIndexView index = b.view(0).index;
  const IndexRun& last = index.runs[index.n_runs - 1];
  EXPECT_EQ(last.first, long_);
  EXPECT_EQ(last.length, RunLength::kLong);
  for (int64_t i = 1; i < index.n_runs; ++i) EXPECT_EQ(index.runs[i].first, index.runs[i - 1].end);
}

TEST_F(Runs, TakeTheSumsOfTheirBlockAlong) {
  KvSequence a = with(1000);
  const KeyIndexView of_a = a.view(0).index;
  ValueSum& sum = of_a.sum(of_a.runs[0], 0);
  sum.end = 990;
  sum.values()[3] = 42;
  KvSequence b = a.fork();
  append(b);
  const KeyIndexView of_b = b.view(0).index;
  const ValueSum& copy = of_b.sum(*of_b.sum_run(0), 0);
  EXPECT_NE(&copy, &sum);
  EXPECT_EQ(copy.end, 990);
  EXPECT_EQ(const_cast<ValueSum&>(copy).values()[3], 42);
}

TEST_F(Runs, SayWhetherOthersHaveThem) {
  KvSequence a = with(1000);
  EXPECT_FALSE(run(a, 0).shared);
  EXPECT_EQ(a.owned().counts[1], 1);
  const KvSequence b = a.fork();
  EXPECT_EQ(a.owned().counts[1], 0);
  append(a);
  EXPECT_TRUE(run(a, 0).shared);
  EXPECT_FALSE(run(a, 1).shared);
}

TEST_F(Runs, AreTakenAgainAfterGoingBack) {
  KvSequence a = with(long_ + 100);
  EXPECT_TRUE(a.truncate(100));
  EXPECT_EQ(taken(RunLength::kLong), 1);
  EXPECT_EQ(a.need(long_ + 100).counts[1], 1);
  append(a, long_);
  EXPECT_EQ(run(a, 1).first, long_);
}

TEST_F(Runs, NeedSaysWhatReserveTakes) {
  KvSequence a = with(1000);
  const KvSequence b = a.fork();
  const KvRoom need = a.need(1001);
  EXPECT_EQ(need.counts, (std::vector<int64_t>{1, 0, 1, 0, 0})) << "a copy of the last page, and a short run";
  const KvRoom before = cache_.room();
  append(a);
  KvRoom left = cache_.room();
  left += need;
  EXPECT_EQ(left.counts, before.counts);
}

TEST_F(Runs, AreAllFreeAtTheEnd) {
  {
    KvSequence a = with(3000);
    KvSequence b = a.fork();
    append(b, 3000);
    const KvCheckpoint c = b.checkpoint();
    append(b, 3000);
    EXPECT_TRUE(b.truncate(2000));
    append(b, 10);
    b.restore(c);
    append(a, 1);
  }
  EXPECT_EQ(taken(RunLength::kLong) + taken(RunLength::kShort) + cache_.pool(0).taken(), 0);
}

}  // namespace
}  // namespace skald
