// Pages of prompts in a tree: what is found, what is shared, what goes first.
#include "engine/prefix_index.h"

#include <gtest/gtest.h>

#include <optional>

#include "base/rng.h"
#include "tests/engine/some_tokens.h"

namespace skald::prefix_index_test {
namespace {

using test::some;
using test::Tokens;
using test::operator+;

const AttentionState kAll = {.n_kv_heads = 1, .d_k = 2, .d_v = 2},
                     kWindow = {.n_kv_heads = 1, .d_k = 2, .d_v = 2, .window = 100};

class Pages {
 public:
  explicit Pages(std::vector<StateSpec> slots, KvLimits limits = {.max_keys = 2000, .n_sequences = 4, .rollback = 64})
      : cache(make_kv_spec(std::move(slots), {}, 2000), limits), index(cache) {}

  // As a prompt that is read in steps: each is kept, all but the last one in passing where that is wanted.
  KvSequence read(const Tokens& prompt, int64_t step = 64, const PrefixIndex::Namespace& ns = {}, bool passing = false) {
    Past past = index.take(ns, std::span(prompt).first(prompt.size() - 1), {});
    taken = past.kv.length();
    const auto n = std::ssize(prompt);
    while (past.kv.length() < n) {
      const int64_t to = std::min(n, past.kv.length() + step - past.kv.length() % step);
      const auto room = [&] { return cache.room().covers(past.kv.need(to)); };
      while (!room() && index.evict_some()) {
      }
      EXPECT_TRUE(past.kv.reserve(to));
      past.kv.set_length(to);
      index.insert(ns, std::span(prompt).first(static_cast<size_t>(to)), past.kv, passing && to < n);
    }
    return std::move(past.kv);
  }
  void pass(const Tokens& prompt) { read(prompt, 64, {}, true); }
  int64_t hit(const Tokens& prompt, const PrefixIndex::Namespace& ns = {}) {
    return index.take(ns, std::span(prompt).first(prompt.size() - 1), {}).kv.length();
  }

  KvCache cache;
  PrefixIndex index;
  int64_t taken = 0;
};

TEST(PrefixIndex, FindsWholePagesOfAPromptThatBeginsAlike) {
  Pages p({kAll});
  const Tokens text = some(300, 1);
  p.read(text);
  EXPECT_EQ(p.index.pages(), 4);
  EXPECT_EQ(p.hit(text), 256);
  EXPECT_EQ(p.hit(text + some(500, 2)), 256);
  for (const int64_t n : {1, 64, 65, 128, 129, 200}) {
    const Tokens beginning(text.begin(), text.begin() + n);
    EXPECT_EQ(p.hit(beginning), (n - 1) / 64 * 64) << n;
    EXPECT_EQ(p.hit(beginning + some(100, 3)), n / 64 * 64) << n;
  }
  Tokens other = text;
  other[70] ^= 1;
  EXPECT_EQ(p.hit(other), 64) << "one token of the second page is another";
}

TEST(PrefixIndex, KeepsOnePageForWhatBeginsAlike) {
  Pages p({kAll});
  const Tokens common = some(128, 1);
  p.read(common + some(64, 2));
  p.read(common + some(64, 3));
  EXPECT_EQ(p.taken, 128);
  EXPECT_EQ(p.index.pages(), 4);
  EXPECT_EQ(p.cache.pool(0).taken(), 4);
  EXPECT_EQ(p.cache.pool(0).kept(), 4);
}

TEST(PrefixIndex, SpacesShareNothing) {
  Pages p({kAll});
  const Tokens text = some(200, 1);
  p.read(text, 64, {.scope = "a"});
  EXPECT_EQ(p.hit(text, {.scope = "a"}), 192);
  EXPECT_EQ(p.hit(text, {.scope = "b"}), 0);
  EXPECT_EQ(p.hit(text, {}), 0);
  EXPECT_EQ(p.hit(text, {.scope = "a", .generated = true}), 0);
}

TEST(PrefixIndex, GivesUpWhatWasUsedLeastRecentlyFromItsEndOn) {
  Pages p({kAll});
  const Tokens old = some(200, 1), later = some(200, 2);
  p.read(old);
  p.read(later);
  EXPECT_EQ(p.hit(old), 192) << "used once more";
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(p.index.evict_some());
  EXPECT_EQ(p.index.evictions(), 2);
  EXPECT_EQ(p.hit(later), 64);
  EXPECT_EQ(p.hit(old), 192);
  while (p.index.evict_some()) {
  }
  EXPECT_TRUE(p.index.empty());
  EXPECT_EQ(p.index.pages(), 0);
  EXPECT_EQ(p.cache.pool(0).taken(), 0);
}

TEST(PrefixIndex, LeavesWhatIsInUse) {
  Pages p({kAll});
  const Tokens used = some(200, 1);
  const KvSequence running = p.read(used);
  p.read(some(200, 2));
  EXPECT_EQ(p.index.reclaimable().counts[0], 3);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(p.index.evict_some());
  EXPECT_FALSE(p.index.evict_some());
  EXPECT_EQ(p.hit(used), 192);
}

TEST(PrefixIndex, ErasesNothingThatIsInUse) {
  Pages p({kAll});
  const Tokens text = some(200, 1);
  {
    const KvSequence running = p.read(text);
    p.index.erase({}, text);
    EXPECT_EQ(p.hit(text), 192);
  }
  p.index.erase({}, text);
  EXPECT_TRUE(p.index.empty());
}

TEST(PrefixIndex, ReclaimsWhatLiesBeforePagesInUse) {
  Pages p({kAll});
  const Tokens text = some(200, 1);
  KvSequence again(p.cache);  // computes the same by itself
  ASSERT_TRUE(again.reserve(200));
  again.set_length(200);
  p.read({text.begin(), text.begin() + 129});
  p.index.insert({}, text, again);
  EXPECT_EQ(p.index.pages(), 3);
  EXPECT_EQ(p.index.reclaimable().counts[0], 2);
  while (p.index.evict_some()) {
  }
  EXPECT_EQ(p.cache.pool(0).taken(), again.pages(0));
}

TEST(PrefixIndex, TakesNoKeysOfGeneratedTokensUnlessAsked) {
  Pages p({kAll});
  const Tokens text = some(300, 1);
  const PrefixIndex::Namespace ns{.scope = {}, .generated = true};
  KvSequence a(p.cache);
  ASSERT_TRUE(a.reserve(300));
  a.set_length(150);
  a.set_length(300, {.generated = true});
  p.index.insert(ns, text, a);
  EXPECT_EQ(p.hit(text, ns), 150) << "exact to the token";
  const Past all = p.index.take(ns, text, {ReusePolicy::Keys::kAll});
  EXPECT_EQ(all.kv.length(), 256);
  EXPECT_EQ(all.exact, 150);
}

TEST(PrefixIndex, LeavesOutWhatSawADroppedPast) {
  Pages p({kAll});
  KvSequence a(p.cache);
  ASSERT_TRUE(a.reserve(300));
  a.set_length(300);
  a.drop(0, 100);
  p.index.insert({}, some(300, 1), a);
  EXPECT_TRUE(p.index.empty());
}

TEST(PrefixIndexWindows, HitsEndWhereAStepEndedAndTheWindowIsThere) {
  Pages p({kWindow, kAll});
  const Tokens text = some(700, 1);
  p.read(text, 320);
  EXPECT_EQ(p.hit(text), 640);
  EXPECT_EQ(p.hit(Tokens(text.begin(), text.begin() + 500) + some(50, 2)), 320) << "the checkpoint before";
  EXPECT_EQ(p.hit(Tokens(text.begin(), text.begin() + 300) + some(50, 2)), 0);
}

TEST(PrefixIndexWindows, KeepPagesThatCheckpointsNeedAndNoMore) {
  Pages p({kWindow, kAll});
  const Tokens text = some(1000, 1);
  p.read(text, 500);
  EXPECT_EQ(p.cache.pool(1).kept(), 15) << "all keys";
  EXPECT_LE(p.cache.pool(0).kept(), 6) << "two windows of 100 keys";
  ASSERT_TRUE(p.index.evict_some()) << "the checkpoint that was used least recently";
  EXPECT_EQ(p.cache.pool(1).kept(), 15);
  EXPECT_LE(p.cache.pool(0).kept(), 3);
  EXPECT_EQ(p.hit(text), 960);
  ASSERT_TRUE(p.index.evict_some());
  EXPECT_TRUE(p.index.empty()) << "pages that no checkpoint needs are of no use";
  EXPECT_EQ(p.cache.pool(0).taken() + p.cache.pool(1).taken(), 0);
}

// Of the next token after 192: position 127, the last one of the second page.
TEST(PrefixIndexWindows, HaveThePageOfTheFirstKeyThatTheNextTokenSees) {
  AttentionState window = kWindow;
  window.window = 66;
  Pages p({window, kAll});
  const Tokens text = some(193, 1);
  p.read(text, 192);
  EXPECT_EQ(p.hit(text), 192);
}

TEST(PrefixIndexWindows, KeepTheirSinks) {
  const KvLimits limits{.max_keys = 2000, .n_sequences = 4, .sinks = 4, .rollback = 64};
  const Tokens text = some(700, 1);
  Pages far({kWindow, kAll}, limits);
  far.read(text, 320);
  EXPECT_EQ(far.hit(text), 640) << "no checkpoint sees them";
  Pages near({kWindow, kAll}, limits);
  near.read(text, 128);
  near.index.drop_checkpoint({}, std::span(text).first(128));
  EXPECT_EQ(near.hit(text), 640) << "a checkpoint that saw them is gone";
}

// Many keys, and few pages of windows.
constexpr KvLimits kManyKeys{.max_keys = 12'000, .n_sequences = 4, .rollback = 64};

TEST(PrefixIndexWindows, PassingCheckpointsOfALongPromptLeaveTheEndsOfOthers) {
  Pages p({kWindow, kAll}, kManyKeys);
  std::vector<Tokens> short_ones;
  for (uint64_t i = 0; i < 4; ++i) p.read(short_ones.emplace_back(some(129, i)), 200);
  const Tokens text = some(4001, 9);
  p.pass(text);
  EXPECT_GT(p.index.evictions(), 0);
  EXPECT_EQ(p.hit(text), 3968);
  for (const Tokens& one : short_ones) EXPECT_EQ(p.hit(one), 128);
}

TEST(PrefixIndexWindows, PassingCheckpointsHaveAQuarterWhereOldEndsFillTheCache) {
  Pages p({kWindow, kAll}, kManyKeys);
  for (uint64_t i = 0; i < 60; ++i) p.read(some(129, i), 200);
  ASSERT_GT(p.index.evictions(), 0);
  const Tokens text = some(1001, 99);
  p.pass(text);
  EXPECT_EQ(p.hit(Tokens(text.begin(), text.begin() + 900) + some(50, 100)), 896);
}

TEST(PrefixIndexWindows, ACheckpointIsNoLongerPassingAfterAHit) {
  Pages p({kWindow, kAll}, kManyKeys);
  const Tokens shared = some(128, 1);
  p.pass(shared + some(500, 2));
  ASSERT_EQ(p.hit(shared + some(50, 3)), 128);
  p.pass(some(4001, 4));
  EXPECT_EQ(p.hit(shared + some(50, 3)), 128);
}

TEST(PrefixIndexWindows, TheEndOfAPromptIsNoPassingCheckpointWhereAnotherPassedBefore) {
  Pages p({kWindow, kAll}, kManyKeys);
  const Tokens text = some(192, 1);
  KvSequence first = p.read(text, 64, {}, true);
  first = p.read(text + some(300, 2), 64, {}, true);
  first.clear();
  p.pass(some(4001, 4));
  EXPECT_EQ(p.hit(text + some(50, 3)), 192);
}

TEST(PrefixIndexStates, HitsEndAtStatesAndTheirNumberIsBounded) {
  KvLimits limits{.max_keys = 2000, .n_sequences = 4, .checkpoints = 3};
  Pages p({kAll, RecurrentState{8}}, limits);
  const Tokens text = some(400, 1);
  p.read(text, 128);
  EXPECT_EQ(p.index.states(), 3);
  EXPECT_EQ(p.hit(text), 384);
  EXPECT_EQ(p.hit({text.begin(), text.begin() + 300}), 256);
  const Tokens other = some(200, 2);
  p.read(other, 128);
  EXPECT_EQ(p.index.states(), 3);
  EXPECT_EQ(p.hit(other), 128);
  EXPECT_EQ(p.hit({text.begin(), text.begin() + 200}), 0) << "its state had to go";
  EXPECT_EQ(p.hit(text), 384);
  EXPECT_LE(p.cache.recurrent().taken(), 3);
}

TEST(PrefixIndexStates, ThatARequestComputesWithAreNotReclaimable) {
  Pages p({kAll, RecurrentState{8}});
  KvSequence running = p.read(some(128, 1), 128);
  EXPECT_EQ(p.index.states(), 1);
  EXPECT_EQ(p.index.reclaimable().counts.back(), 0);
  running.clear();
  EXPECT_EQ(p.index.reclaimable().counts.back(), 1);
  ASSERT_TRUE(p.index.evict_some());
  EXPECT_EQ(p.index.evictions(), 2) << "pages";
}

TEST(PrefixIndexStates, ThatAreRenewedStayLongest) {
  Pages p({kAll, RecurrentState{8}});
  const Tokens a = some(400, 1), b = some(400, 2);
  p.read(a, 128);
  p.read(b, 128);
  p.index.renew({}, std::span(a).first(200));
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(p.index.evict_some());
  EXPECT_EQ(p.hit(a), 128);
  EXPECT_EQ(p.hit(b), 0);
}

TEST(PrefixIndexStates, ThatAreKeptAgainStayLongest) {
  Pages p({kAll, RecurrentState{8}});
  const Tokens a = some(128, 1), b = some(128, 2);
  KvSequence first = p.read(a, 128);
  p.read(b, 128);
  p.index.insert({}, a, first);
  first.clear();
  while (p.index.states() > 1) ASSERT_TRUE(p.index.evict_some());
  EXPECT_EQ(p.hit(a + some(1, 3)), 128);
}

TEST(PrefixIndexStates, UncutNeedsAllOfTheTokens) {
  Pages p({kAll, RecurrentState{8}});
  const Tokens text = some(192, 1), longer = text + some(64, 2);
  p.read(text, 64);
  p.index.drop_checkpoint({}, longer);
  EXPECT_EQ(p.index.states(), 3);
  EXPECT_EQ(p.hit(longer), 192);
}

TEST(PrefixIndexStates, AreKeptWithoutAnyAttentionToo) {
  Pages p({RecurrentState{8}});
  const Tokens text = some(400, 1);
  p.read(text, 128);
  EXPECT_EQ(p.hit(text), 384);
}

TEST(PrefixIndexStates, AreNotKeptWhereNoneMayBe) {
  Pages p({kAll, RecurrentState{8}}, {.max_keys = 2000, .n_sequences = 4, .checkpoints = 0});
  p.read(some(400, 1), 128);
  EXPECT_TRUE(p.index.empty());
}

TEST(PrefixIndexStates, DroppingACheckpointGivesUpItAndItsPathAlone) {
  Pages p({kAll, RecurrentState{8}});
  const Tokens text = some(200, 1);
  p.read(text, 64);
  p.index.drop_checkpoint({}, std::span(text).first(128));
  EXPECT_EQ(p.index.states(), 2);
  EXPECT_EQ(p.hit(text), 192);
  p.index.drop_checkpoint({}, std::span(text).first(192));
  EXPECT_EQ(p.index.pages(), 1);
  EXPECT_EQ(p.hit(text), 64);
}

TEST(PrefixIndex, IsAsDeepAsPromptsAreLong) {
  KvCache cache(make_kv_spec({kAll}, {}, 1 << 21), {.max_keys = 1 << 21, .n_sequences = 1});
  PrefixIndex index(cache);
  const Tokens text = some(1 << 20, 1);
  KvSequence s(cache);
  ASSERT_TRUE(s.reserve(std::ssize(text)));
  s.set_length(std::ssize(text));
  index.insert({}, text, s);
  EXPECT_EQ(index.pages(), 1 << 14);
  s.clear();
}

}  // namespace
}  // namespace skald::prefix_index_test
