#include "engine/conversations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/fake_stepper.h"
#include "tests/engine/requests.h"

namespace skald::conversations_test {

using test::Driver;

static std::vector<TokenId> operator+(std::vector<TokenId> a, const std::vector<TokenId>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

static std::vector<TokenId> some(int64_t n, uint64_t seed) {
  Rng rng(seed);
  std::vector<TokenId> ids;
  for (int64_t i = 0; i < n; ++i) ids.push_back(static_cast<TokenId>(rng.next() % test::kFakeVocab));
  return ids;
}

static Request turn(std::vector<TokenId> prompt, ConversationId id = 1) {
  return {.prompt = std::move(prompt), .max_tokens = 20, .conversation = id, .sampling = {.seed = 5}, .on_event = {}};
}

// Rows that a request computes, its last token aside, of which no later row needs a key.
static int64_t rows_of(Driver& d, const Request& r, Result& result) {
  const int64_t before = d.stepper.rows;
  result = d.generate(r);
  EXPECT_EQ(result.error, "");
  EXPECT_EQ(result.timing.n_cached + d.stepper.rows - before, std::ssize(r.prompt) + std::ssize(result.tokens) - 1);
  return d.stepper.rows - before - std::ssize(result.tokens) + 1;
}

TEST(Conversations, ComputeOnlyWhatIsNewFromTurnToTurn) {
  for (const int64_t window : {0, 100}) {
    Driver d(0, {.limits = {.n_ctx = 900}, .n_parallel = 6, .rows = 100}, window);
    Result r;
    std::vector<TokenId> text = some(150, 1);
    EXPECT_EQ(rows_of(d, turn(text), r), 150);
    for (uint64_t i = 0; i < 5; ++i) {
      const std::vector<TokenId> more = some(30, 10 + i);
      text = text + r.tokens + more;
      EXPECT_EQ(rows_of(d, turn(text), r), std::ssize(more) + 1) << "and the last one that was drawn";
    }
    // Generated keys were taken as they are: the same as one text that was never interrupted would have.
    d.loop->forget(1);
    EXPECT_TRUE(d.all_free());
  }
}

TEST(Conversations, GoBackToEarlierTurns) {
  // Without windows a sequence is truncated; with one, a mark at the end of each prompt is what can be gone back to.
  for (const int64_t window : {0, 100}) {
    Driver d(0, {.limits = {.n_ctx = 900}, .n_parallel = 6, .rows = 100}, window);
    Result first, second, again;
    const std::vector<TokenId> text = some(300, 1);
    rows_of(d, turn(text), first);
    const std::vector<TokenId> longer = text + first.tokens + some(90, 2);
    rows_of(d, turn(longer), second);
    EXPECT_EQ(rows_of(d, turn(longer), again), 1);
    EXPECT_EQ(again.tokens, second.tokens);
    const std::vector<TokenId> other = text + some(40, 3);
    EXPECT_EQ(rows_of(d, turn(other), again), 40);
  }
}

// A state is what all tokens before made it: it is gone back to where it was kept, and what follows is read again.
TEST(Conversations, GoBackToStatesThatWereKept) {
  Driver d(0, {.limits = {.n_ctx = 900}, .n_parallel = 2, .rows = 100, .checkpoints = {.step = 128}}, 0, /*state=*/true);
  Driver fresh(0, {.limits = {.n_ctx = 900}, .n_parallel = 2, .rows = 100}, 0, /*state=*/true);
  Result first, r, want;
  const std::vector<TokenId> text = some(300, 1);
  EXPECT_EQ(rows_of(d, turn(text), first), 300);
  EXPECT_EQ(rows_of(d, turn(text), r), 300 - 256) << "from the last multiple of 64 on";
  EXPECT_EQ(r.tokens, first.tokens);
  const std::vector<TokenId> longer = text + first.tokens + some(90, 2);
  EXPECT_EQ(rows_of(d, turn(longer), r), 90 + 1) << "from where the answer ended";
  std::vector<TokenId> edited = text;
  edited[200] = (edited[200] + 1) % test::kFakeVocab;
  EXPECT_EQ(rows_of(d, turn(edited), r), 300 - 128) << "from the last step before the edit";
  rows_of(fresh, turn(edited, 0), want);
  EXPECT_EQ(r.tokens, want.tokens);
}

TEST(Conversations, GoBackToTheEndsOfMessages) {
  Driver d(0,
           {.limits = {.n_ctx = 900},
            .n_parallel = 2,
            .rows = 100,
            .checkpoints = {.step = 0},
            .ends_message = [](TokenId id) { return id == 7; }},
           0, /*state=*/true);
  std::vector<TokenId> text = some(500, 1);
  for (TokenId& id : text) id = id == 7 ? 8 : id;
  text[199] = 7;
  Result r;
  rows_of(d, turn(text), r);
  std::vector<TokenId> other = text;
  other[250] = (other[250] + 1) % 7;
  EXPECT_EQ(rows_of(d, turn(other), r), 500 - 192);
}

TEST(Conversations, KeepNoMoreMarksThanTheyMay) {
  for (const int64_t most : {0, 1, 3}) {
    Driver d(0, {.limits = {.n_ctx = 900}, .n_parallel = 2, .rows = 100, .checkpoints = {.most = most, .step = 64}}, 0,
             true);
    Result r;
    const std::vector<TokenId> text = some(500, 1);
    rows_of(d, turn(text), r);
    EXPECT_EQ(rows_of(d, turn(text), r), most < 2 ? 500 : 500 - 448) << most << " marks, of which one is at the end";
  }
}

TEST(Conversations, TakeNoGeneratedKeysWhereTheRequestWantsNone) {
  Driver d(0), fresh(0);
  Result r, want;
  std::vector<TokenId> text = some(100, 1);
  rows_of(d, turn(text), r);
  for (uint64_t i = 0; i < 3; ++i) {
    const int64_t before = std::ssize(text);
    text = text + r.tokens + some(30, 10 + i);
    Request next = turn(text);
    next.reuse_generated = false;
    EXPECT_EQ(rows_of(d, next, r), std::ssize(text) - before);
    next.conversation = 0;
    rows_of(fresh, next, want);
    EXPECT_EQ(r.tokens, want.tokens) << "the bits of a text that is read as one prompt";
  }
}

// Neither where the past goes on from a mark, nor where it was cut.
TEST(Conversations, KnowWhichKeysAreGenerated) {
  const auto exact_turn = [](std::vector<TokenId> prompt) {
    Request r = turn(std::move(prompt));
    r.reuse_generated = false;
    return r;
  };
  const LoopOptions o{.limits = {.n_ctx = 900}, .n_parallel = 2, .rows = 100};
  Driver states(0, o, 0, /*state=*/true);
  const std::vector<TokenId> text = some(100, 1);
  Result r;
  rows_of(states, turn(text), r);
  const std::vector<TokenId> longer = text + r.tokens + some(100, 2);
  rows_of(states, turn(longer), r);
  EXPECT_EQ(r.timing.n_cached, 119);
  EXPECT_EQ(states.generate(exact_turn(longer)).timing.n_cached, 100);
  Driver keys(0, o);
  rows_of(keys, turn(text), r);
  const std::vector<TokenId> other = std::vector<TokenId>(text.begin(), text.begin() + 60) + some(100, 3);
  EXPECT_EQ(keys.generate(turn(other)).timing.n_cached, 60);
  EXPECT_EQ(keys.generate(exact_turn(other)).timing.n_cached, 159);
}

// What was dropped is missing in what goes on.
TEST(Conversations, KeepNothingThatAShiftHasDroppedFrom) {
  const LoopOptions o{.limits = {.n_ctx = 128, .shift = true}, .n_parallel = 2, .rows = 100};
  Driver d(0, o), fresh(0, o);
  Request first = turn(some(100, 1));
  first.max_tokens = 60;
  const Result r = d.generate(first);
  const std::vector<TokenId> text = first.prompt + r.tokens;
  const Request next = turn({text.begin(), text.begin() + 120});
  const Result got = d.generate(next);
  EXPECT_EQ(got.timing.n_cached, 0);
  EXPECT_EQ(got.tokens, fresh.generate(next).tokens);
}

TEST(Conversations, ForgetMarksOfATextThatTheyLeft) {
  Driver d(0, {.limits = {.n_ctx = 900}, .n_parallel = 2, .rows = 100}, 0, /*state=*/true);
  Result r;
  rows_of(d, turn(some(100, 1)), r);
  rows_of(d, turn(some(300, 2)), r);
  EXPECT_EQ(rows_of(d, turn(some(100, 1)), r), 100);
}

/// Without an engine: texts whose pages are kept.
class Kept : public testing::Test {
 protected:
  KvSequence with(int64_t n) {
    KvSequence s(cache_);
    EXPECT_TRUE(s.reserve(n));
    s.set_length(n);
    return s;
  }
  void keep(ConversationId id) { all_.keep(id, {with(100), 100}, text_); }
  void mark(int64_t n) { all_.mark(1, with(n), n, std::span(text_).first(static_cast<size_t>(n))); }
  int64_t take(ConversationId id) {
    const std::optional<Past> past = all_.take(id, text_, true);
    return past ? past->kv.length() : 0;
  }

  KvCache cache_{make_kv_spec({RecurrentState{8}}, {}, 1000), {.max_keys = 1000, .n_sequences = 8}};
  const std::vector<TokenId> text_ = some(300, 1);
  Conversations all_{2};
};

TEST_F(Kept, GiveWayBeforeThoseThatWereUsedLater) {
  keep(1);
  keep(2);
  keep(1);
  ASSERT_TRUE(all_.give_up_some());
  EXPECT_EQ(take(2), 0);
  EXPECT_EQ(take(1), 100);
}

TEST_F(Kept, GiveTheirOldestMarkFirst) {
  mark(64);
  mark(128);
  ASSERT_TRUE(all_.give_up_some());
  EXPECT_EQ(take(1), 128);
}

// Of those at 64, 250 and 260 the one that is nearest to the one before it.
TEST_F(Kept, AreMarkedAsOftenAsTheyMay) {
  for (const int64_t n : {64, 250, 260}) mark(n);
  EXPECT_EQ(cache_.recurrent().taken(), 2);
  EXPECT_EQ(take(1), 260);
}

TEST(Conversations, LeaveNothingForOthers) {
  Driver d(0, {.limits = {.n_ctx = 900}, .n_parallel = 2, .rows = 100, .share_prefixes = true});
  Result r;
  rows_of(d, turn(some(200, 1)), r);
  EXPECT_EQ(rows_of(d, turn(some(200, 1), 0), r), 200);
}

TEST(Conversations, AreApart) {
  Driver d(0);
  Result r;
  const std::vector<TokenId> text = some(100, 1);
  rows_of(d, turn(text, 1), r);
  EXPECT_EQ(rows_of(d, turn(text, 2), r), 100);
  EXPECT_EQ(rows_of(d, turn(text, 1), r), 1);
  EXPECT_EQ(rows_of(d, turn(text, 0), r), 100) << "of no conversation";
}

TEST(Conversations, GiveWayToWhoeverRuns) {
  Driver d(640);  // ten pages
  Result r;
  rows_of(d, turn(some(300, 1), 1), r);
  rows_of(d, turn(some(200, 2), 2), r);
  Request large = turn(some(500, 3), 0);
  Driver alone(0);
  const Result want = alone.generate(large), got = d.generate(large);
  EXPECT_EQ(got.error, "");
  EXPECT_EQ(got.tokens, want.tokens);
  EXPECT_TRUE(d.all_free()) << "both are gone";
}

// Twelve pages: five of a conversation, three of each prompt, and one more for each text as it grows.
TEST(Conversations, GiveWayBeforeATextIsPaused) {
  Driver d(640);
  Result r;
  rows_of(d, turn(some(290, 1), 1), r);
  std::vector<std::future<Result>> results;
  for (uint64_t i = 0; i < 2; ++i) {
    Request text = turn(some(150, 2 + i), 0);
    text.max_tokens = 100;
    results.push_back(d.submit(text));
  }
  ASSERT_TRUE(d.run());
  for (auto& result : results) EXPECT_EQ(result.get().error, "");
  EXPECT_EQ(d.most_paused, 0);
  EXPECT_TRUE(d.all_free());
}

TEST(Conversations, GoOnBesideOthersWhoTakeTheirPages) {
  Driver d(400);
  Rng rng(3);
  std::vector<std::future<Result>> others;
  std::vector<TokenId> text = some(60, 1);
  for (uint64_t i = 0; i < 6; ++i) {
    for (int k = 0; k < 4; ++k) {
      Request other = turn(some(60, rng.next()), 0);
      other.max_tokens = 120;
      others.push_back(d.submit(other));
    }
    const Result r = d.generate(turn(text));
    EXPECT_EQ(r.error, "");
    EXPECT_EQ(r.tokens.size(), 20u);
    text = text + r.tokens + some(5, 20 + i);
  }
  for (auto& other : others) EXPECT_EQ(other.get().error, "");
  EXPECT_GT(d.most_paused, 0) << "the test is of no use without pauses";
}

// A branch whose past has generated rows in its prompt cannot be made again by reading it: it is swapped.
TEST(Conversations, ArePausedWithoutAChange) {
  std::vector<TokenId> want;
  for (const bool crowded : {false, true}) {
    Driver d(crowded ? 640 : 0);
    const std::vector<TokenId> text = some(100, 1);
    Result r;
    rows_of(d, turn(text), r);
    Request next = turn(text + r.tokens + some(10, 2));
    next.max_tokens = 150;
    std::future<Result> result;
    std::vector<std::future<Result>> others;
    if (crowded)
      for (uint64_t i = 0; i < 3; ++i) {
        Request other = turn(some(100, 5 + i), 0);
        other.max_tokens = 150;
        others.push_back(d.submit(other));
      }
    result = d.submit(next);
    ASSERT_TRUE(d.run());
    const Result got = result.get();
    if (!crowded) want = got.tokens;
    EXPECT_EQ(got.tokens, want);
    EXPECT_EQ(got.timing.n_cached, 119);
    EXPECT_EQ(d.most_paused > 0, crowded);
  }
}

TEST(Conversations, OfAModelGoOnWithTheSameText) {
  // With f32 keys a prompt's rows and generated ones have the same bits: a conversation says what a whole prompt does.
  EngineOptions options{.device = {.n_threads = 2}};
  options.cache.type_k = options.cache.type_v = "f32";
  Engine engine(test::story_model(), options);
  std::vector<TokenId> text = test::story_model().tokenize("Once upon a time");
  for (int i = 0; i < 4; ++i) {
    Request r = test::story("", 20);
    r.prompt = text;
    r.conversation = 7;
    const Result got = engine.generate(r);
    r.conversation = 0;
    EXPECT_EQ(got.tokens, engine.generate(r).tokens) << i;
    EXPECT_EQ(got.timing.n_cached, i ? std::ssize(text) - 6 : 0);
    text = text + got.tokens + std::vector<TokenId>{300, 301, 302, 303, 304};
  }
}

}  // namespace skald::conversations_test
