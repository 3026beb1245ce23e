// Room that a sequence needs on its way: windows give pages back, so that it is no more than one sequence holds.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <vector>

#include "kv/sequence.h"

namespace skald {
namespace {

struct Case {
  const char* name;
  std::vector<StateSpec> slots;
  KvStorage storage = {};
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

AttentionState layer(int64_t window) { return {.n_kv_heads = 1, .d_k = 2, .d_v = 2, .window = window}; }
/// Latent attention: one head, whose values are a part of its keys.
AttentionState latent(int64_t window) { return {.n_kv_heads = 1, .d_k = 36, .d_v = 32, .window = window}; }

/// Takes what a cache has, but for a given room.
class Hog {
 public:
  Hog(KvCache& cache, const KvRoom& leaves) {
    const size_t groups = cache.spec().groups.size();
    for (size_t g = 0; g < groups; ++g) {
      take(cache.pool(g), leaves.counts[4 * g]);
      take(cache.index_pool(g, RunLength::kLong), leaves.counts[4 * g + 1]);
      take(cache.index_pool(g, RunLength::kShort), leaves.counts[4 * g + 2]);
      take(cache.open_pool(g), leaves.counts[4 * g + 3]);
    }
    if (cache.spec().recurrent_floats)
      while (cache.recurrent().available() > leaves.counts.back()) states_.push_back(cache.recurrent().take());
  }

 private:
  void take(PagePool& pool, int64_t leaves) {
    while (pool.available() > leaves) pages_.push_back(pool.take());
  }
  std::vector<PageRef> pages_;
  std::vector<RecurrentPool::Block> states_;
};

class Room : public testing::TestWithParam<Case> {
 protected:
  static constexpr int64_t kMaxKeys = 6000;

  std::unique_ptr<KvCache> cache(const KvLimits& limits) const {
    return std::make_unique<KvCache>(make_kv_spec(GetParam().slots, GetParam().storage, limits.max_keys), limits);
  }
  int64_t below(int64_t n) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(n)); }

  /// Steps of any size up to the length; false where one of them has no room.
  bool go_on(KvSequence& s, int64_t to, int64_t rows) {
    while (s.length() < to) {
      const int64_t n = std::min(to, s.length() + 1 + below(rows));
      if (!s.reserve(n)) return false;
      s.set_length(n);
    }
    return true;
  }

  template <class F>
  void for_limits(F f) {
    for (const int64_t rows : {1, 60, 64, 200})
      for (const int64_t sinks : {0, 4, 70})
        for (const int64_t rollback : {0, 64}) {
          SCOPED_TRACE(testing::Message() << "steps of " << rows << ", " << sinks << " sinks, rollback of " << rollback);
          f(KvLimits{.max_keys = kMaxKeys, .max_rows = rows, .n_sequences = 3, .sinks = sinks, .rollback = rollback});
          if (HasFailure()) return;
        }
  }

  std::mt19937_64 random_{5};
};

TEST_P(Room, IsNeverMoreThanOneSequenceHolds) {
  for_limits([&](const KvLimits& limits) {
    const std::unique_ptr<KvCache> cache = this->cache(limits);
    const KvRoom most = cache->most_of_one();
    ASSERT_TRUE(cache->room().covers(most));
    KvSequence s(*cache);
    for (int64_t to = 0; to < kMaxKeys; to += 1 + below(400)) {
      ASSERT_TRUE(go_on(s, to, limits.max_rows));
      for (const int64_t n : {to, to + 1, to + 1000, kMaxKeys}) {
        KvRoom all = s.need(std::min(n, kMaxKeys));
        ASSERT_TRUE(most.covers(all)) << to << " to " << n;
        all += s.owned();
        ASSERT_TRUE(most.covers(all)) << to << " to " << n << ", and what it has";
      }
    }
  });
}

TEST_P(Room, DoesForAllTheWay) {
  for_limits([&](const KvLimits& limits) {
    const std::unique_ptr<KvCache> cache = this->cache(limits);
    for (int round = 0; round < 12; ++round) {
      KvSequence s(*cache);
      ASSERT_TRUE(go_on(s, below(kMaxKeys / 2), limits.max_rows));
      const bool back = s.truncate(s.length() - std::min(s.length(), below(1 + limits.rollback)));
      ASSERT_TRUE(back || cache->spec().shares_whole());
      const int64_t from = s.length(), to = from + below(kMaxKeys - from);
      const Hog hog(*cache, s.need(to));
      ASSERT_TRUE(go_on(s, to, limits.max_rows)) << s.length() << " on the way from " << from << " to " << to;
    }
  });
}

TEST_P(Room, IsThereForAsManySequencesAsTheCacheIsMadeForWhateverTheyShare) {
  for_limits([&](const KvLimits& limits) {
    const std::unique_ptr<KvCache> cache = this->cache(limits);
    std::vector<KvSequence> all;
    for (int64_t i = 0; i < limits.n_sequences; ++i) all.emplace_back(*cache);
    for (int round = 0; round < 200; ++round) {
      KvSequence& s = all[static_cast<size_t>(below(limits.n_sequences))];
      if (below(8) == 0) s = KvSequence(all[static_cast<size_t>(below(limits.n_sequences))].fork());
      if (s.length() + 600 > kMaxKeys) s.clear();
      ASSERT_TRUE(go_on(s, s.length() + below(600), limits.max_rows)) << s.length();
    }
  });
}

const KvStorage kPlain = {.k_type = "f32", .v_type = "f32", .layout = "rows"};
const KvStorage kIndexed = {
    .k_type = "f32", .v_type = "f32", .layout = "rows", .index = KeyIndex::kInt8, .value_sums = true};

INSTANTIATE_TEST_SUITE_P(
    Models, Room,
    testing::Values(Case{"all_keys", {layer(0)}, kPlain}, Case{"window", {layer(100)}, kPlain},
                    Case{"window_of_one", {layer(1)}, kPlain}, Case{"windows_and_all_keys", {layer(512), layer(0)}, kPlain},
                    Case{"two_windows", {layer(64), layer(1000)}, kPlain},
                    Case{"states_and_keys", {layer(0), RecurrentState{8}}, kPlain},
                    Case{"states_and_windows", {layer(100), layer(0), RecurrentState{8}}, kPlain},
                    Case{"states", {RecurrentState{8}}, kPlain},
                    Case{"latent_windows", {latent(100), latent(0)}, {.k_type = "q8_0", .v_type = "q8_0"}},
                    Case{"codes", {layer(0)}, {.k_type = "kc8"}},
                    Case{"codes_and_windows", {layer(512), layer(0)}, {.k_type = "kc4"}},
                    Case{"indexed", {layer(0)}, kIndexed}, Case{"indexed_windows", {layer(512), layer(0)}, kIndexed}),
    [](const auto& info) { return info.param.name; });

TEST(RoomOfATotal, IsNeverMoreThanTheCacheHas) {
  KvCache cache(make_kv_spec({layer(0), layer(100)}, kPlain, 6000),
                {.max_keys = 6000, .max_rows = 64, .n_sequences = 2, .total_keys = 1000});
  EXPECT_TRUE(cache.room().covers(KvSequence(cache).need(6000)));
  EXPECT_FALSE(KvSequence(cache).reserve(6000));
}

TEST(RoomOfForks, HasTheCopyOfAPageThatIsShared) {
  KvCache cache(make_kv_spec({layer(100)}, kPlain, 6000), {.max_keys = 6000, .n_sequences = 2});
  KvSequence s(cache);
  ASSERT_TRUE(s.reserve(10));
  s.set_length(10);
  const int64_t alone = s.need(6000).counts[0];
  const KvSequence fork = s.fork();
  EXPECT_EQ(s.need(6000).counts[0], alone + 1);
}

// Forks cut the index into more short runs than a sequence has by itself.
TEST(RoomOfForks, IsNeverLessThanTheNextStepTakes) {
  KvCache cache(make_kv_spec({layer(512)}, kIndexed, 6000), {.max_keys = 6000, .max_rows = 64, .n_sequences = 3});
  KvSequence s(cache);
  std::vector<KvSequence> forks;
  for (int64_t n = 64; n <= 640; n += 64) {
    ASSERT_TRUE(s.reserve(n));
    s.set_length(n);
    forks.push_back(s.fork());
  }
  EXPECT_GT(s.need(641).counts[2], 0);
  EXPECT_TRUE(s.need(6000).covers(s.need(641)));
}

}  // namespace
}  // namespace skald
