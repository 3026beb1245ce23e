// Beam searches in the loop: they find the texts of a simple search, whatever slots and pages there are, and beside others.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <tuple>

#include "loading/loaded_model.h"
#include "tests/engine/beams/reference_search.h"
#include "tests/engine/fake_stepper.h"
#include "tests/engine/guessing.h"
#include "tests/engine/requests.h"
#include "tests/engine/some_tokens.h"

namespace skald::beams_test {
namespace {

using test::Driver;
using test::FakeStepper;
using test::FoundText;
using test::some;
using test::Tokens;

Request beams(int n, int max_tokens, int64_t prompt = 70, uint64_t seed = 1) {
  return {.prompt = some(prompt, seed), .max_tokens = max_tokens, .n = n, .beams = n, .sampling = {}, .on_event = {}};
}

Request draws(int64_t prompt, uint64_t seed, int n = 40) {
  return {.prompt = some(prompt, seed), .max_tokens = n, .sampling = {.seed = seed}, .on_event = {}};
}

/// The same model, asked about one text after the other.
class Oracle {
 public:
  explicit Oracle(int64_t window = 0, bool state = false, bool flat = false)
      : stepper_({.max_keys = 600, .max_rows = 300, .n_sequences = 2, .total_keys = 0, .rollback = 64}, window, state) {
    stepper_.flat = flat;
  }

  std::vector<double> log_probs(const Tokens& prompt, const Tokens& ids) {
    KvSequence kv = stepper_.new_sequence();
    std::vector<double> out = run(kv, prompt, false);
    for (const TokenId id : ids) out = run(kv, {id}, true);
    return out;
  }
  std::vector<FoundText> search(const Request& r, const std::set<TokenId>& ends = {}) {
    return test::search({r.beams, r.length_penalty, r.max_tokens, ends},
                        [&](const Tokens& ids) { return log_probs(r.prompt, ids); });
  }

 private:
  std::vector<double> run(KvSequence& kv, const Tokens& tokens, bool decode) {
    const StepItem item{.kv = &kv, .tokens = tokens, .n_outputs = 1, .decode = decode};
    const Logits logits = stepper_.run({&item, 1});
    const std::span<const float> row = logits.row(0);
    double sum = 0;
    for (const float x : row) sum += std::exp(static_cast<double>(x));
    std::vector<double> out;
    for (const float x : row) out.push_back(static_cast<double>(x) - std::log(sum));
    return out;
  }

  FakeStepper stepper_;
};

std::vector<const Choice*> texts_of(const Result& result) {
  std::vector<const Choice*> out{&result};
  for (const Choice& other : result.others) out.push_back(&other);
  return out;
}

void expect_found(const Result& got, const std::vector<FoundText>& want, const std::string& what = {}) {
  EXPECT_EQ(got.error, "") << what;
  const auto texts = texts_of(got);
  ASSERT_EQ(texts.size(), want.size()) << what;
  for (size_t i = 0; i < want.size(); ++i) {
    Tokens ids = texts[i]->tokens;
    if (texts[i]->end_token >= 0) ids.push_back(texts[i]->end_token);
    EXPECT_EQ(ids, want[i].ids) << what << " text " << i;
    EXPECT_NEAR(texts[i]->log_prob, want[i].log_prob, 1e-9) << what << " text " << i;
    EXPECT_NEAR(texts[i]->score, want[i].score, 1e-9) << what << " text " << i;
    EXPECT_EQ(texts[i]->finish, want[i].finish) << what << " text " << i;
  }
}

LoopOptions options(int64_t n_parallel, int64_t rows = 100) {
  return {.limits = {.n_ctx = 600}, .n_parallel = n_parallel, .rows = rows};
}

const Tokenizer& tokenizer() { return test::story_model().loaded()->tokenizer(); }

LoopOptions with_ends(int64_t n_parallel) {
  LoopOptions out = options(n_parallel);
  out.tokenizer = &tokenizer();
  return out;
}

/// Those of its end tokens that the fake model may say.
std::set<TokenId> ends() {
  std::set<TokenId> out;
  for (TokenId id = 0; id < test::kFakeVocab; ++id)
    if (tokenizer().vocab().is_end(id)) out.insert(id);
  return out;
}

using Kind = std::tuple<int64_t, bool>;  // window, state

class BeamsOf : public testing::TestWithParam<Kind> {
 protected:
  int64_t window_ = std::get<0>(GetParam());
  bool state_ = std::get<1>(GetParam());
  Oracle oracle_{window_, state_};
};

TEST_P(BeamsOf, AreThoseOfASimpleSearch) {
  for (const int n : {1, 2, 5})
    for (const float penalty : {0.0f, 0.5f, 2.0f}) {
      Driver d(0, options(8), window_, state_);
      Request r = beams(n, 9);
      r.length_penalty = penalty;
      expect_found(d.generate(r), oracle_.search(r), std::to_string(n) + " beams");
      EXPECT_TRUE(d.all_free());
    }
}

TEST_P(BeamsOf, EndByTokens) {
  int64_t ended = 0;
  for (const uint64_t seed : {1, 2, 3})
    for (const float penalty : {0.0f, 1.0f, 2.0f}) {
      Request r = beams(6, 25, 70, seed);
      r.length_penalty = penalty;
      const std::vector<FoundText> want = oracle_.search(r, ends());
      ended += std::ranges::count(want, FinishReason::kEnd, &FoundText::finish);
      for (const int64_t slots : {1, 8}) expect_found(Driver(0, with_ends(slots), window_, state_).generate(r), want);
    }
  EXPECT_GT(ended, 0);
}

// A page holds 64 keys: forks share full ones, and copy the last one.
TEST_P(BeamsOf, CrossPages) {
  Driver d(0, options(3), window_, state_);
  expect_found(d.generate(beams(3, 80, 120)), oracle_.search(beams(3, 80, 120)));
  EXPECT_TRUE(d.all_free());
}

TEST_P(BeamsOf, TakeTurnsWhereSlotsAreFew) {
  const Request one = beams(5, 20), two = beams(4, 25, 90, 2);
  for (const int64_t slots : {1, 2, 3}) {
    Driver d(0, options(slots), window_, state_);
    std::future<Result> a = d.submit(one), b = d.submit(two), drawn = d.submit(draws(80, 3));
    ASSERT_TRUE(d.run()) << slots << " slots";
    expect_found(a.get(), oracle_.search(one), std::to_string(slots) + " slots");
    expect_found(b.get(), oracle_.search(two), std::to_string(slots) + " slots");
    EXPECT_EQ(drawn.get().tokens, Driver(0, options(6), window_, state_).generate(draws(80, 3)).tokens);
    EXPECT_TRUE(d.all_free());
  }
}

// Texts that give their pages up are computed again, or come back from other memory.
TEST_P(BeamsOf, GoOnWherePagesAreFew) {
  const Request one = beams(4, 60), two = beams(4, 60, 100, 2);
  Driver d(400, options(6, 60), window_, state_);
  std::future<Result> a = d.submit(one), b = d.submit(two), drawn = d.submit(draws(150, 3, 150));
  ASSERT_TRUE(d.run());
  EXPECT_GT(d.loop->status().preemptions, 0);
  expect_found(a.get(), oracle_.search(one));
  expect_found(b.get(), oracle_.search(two));
  EXPECT_EQ(drawn.get().error, "");
  EXPECT_TRUE(d.all_free());
}

TEST_P(BeamsOf, GoOnAfterAPause) {
  const Request r = beams(4, 30);
  Driver d(0, options(4), window_, state_);
  std::future<Result> found = d.submit(r);
  for (int i = 0; i < 10; ++i) d.loop->step();
  d.loop->pause(1);
  EXPECT_FALSE(d.loop->has_work());
  Result drawn = {};
  std::future<Result> other = d.submit(draws(80, 3));
  while (other.wait_for(std::chrono::seconds(0)) != std::future_status::ready) d.loop->step();
  d.loop->resume(1);
  ASSERT_TRUE(d.run());
  expect_found(found.get(), oracle_.search(r));
}

TEST_P(BeamsOf, AreTheSameWithSharedPrefixes) {
  LoopOptions o = options(4);
  o.share_prefixes = true;
  o.checkpoints.most = 8;
  Driver d(0, o, window_, state_);
  const Request r = beams(4, 30, 200);
  for (int i = 0; i < 2; ++i) {
    const Result got = d.generate(r);
    expect_found(got, oracle_.search(r));
    EXPECT_EQ(got.timing.n_cached > 0, i > 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Caches, BeamsOf, testing::Values(Kind{0, false}, Kind{40, false}, Kind{0, true}));

// A prompt with keys that were generated cannot be computed again as it was: forks of a text that gave its pages up come
// back from what it saved.
TEST(Beams, ComeBackFromWhatTheySaved) {
  const auto found = [](int64_t total_keys, bool pauses) {
    LoopOptions o = options(4);
    o.share_prefixes = true;
    Driver d(total_keys, o);
    const Request before = draws(100, 3, 80);
    const Result written = d.generate(before);
    Request r = beams(4, 60);
    r.prompt = before.prompt;
    r.prompt.insert(r.prompt.end(), written.tokens.begin(), written.tokens.end());
    Result out = d.generate(r);
    EXPECT_GT(out.timing.n_cached, 100) << "keys that were generated";
    EXPECT_EQ(d.loop->status().preemptions > 0, pauses);
    return out;
  };
  const Result want = found(0, false), got = found(384, true);
  ASSERT_EQ(got.others.size(), want.others.size());
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(texts_of(got)[i]->tokens, texts_of(want)[i]->tokens) << i;
}

// All tokens are equally likely: the better text and the lower id decide, and of finished texts the earlier one.
TEST(Beams, BreakTiesAsASimpleSearchDoes) {
  for (const int n : {1, 3, 7})
    for (const float penalty : {0.0f, 1.0f, 2.0f}) {
      Driver d(0, with_ends(8));
      d.stepper.flat = true;
      Request r = beams(n, 5);
      r.length_penalty = penalty;
      expect_found(d.generate(r), Oracle(0, false, true).search(r, ends()), std::to_string(n) + " beams");
    }
}

TEST(Beams, BringAsManyTextsAsAreAskedFor) {
  Request r = beams(5, 12);
  r.n = 2;
  std::vector<FoundText> want = Oracle().search(r);
  want.resize(2);
  expect_found(Driver(0).generate(r), want);
}

TEST(Beams, CountWhatTheyComputed) {
  Driver d(0);
  const Result got = d.generate(beams(3, 10));
  EXPECT_EQ(got.timing.n_generated, 30);
  EXPECT_EQ(d.loop->status().generated_tokens, 30);
}

TEST(Beams, EndAtTheContext) {
  Request r = beams(2, -1, 40);
  Driver d(0, {.limits = {.n_ctx = 50}, .n_parallel = 2, .rows = 100});
  const Result got = d.generate(r);
  r.max_tokens = 10;
  std::vector<FoundText> want = Oracle().search(r);
  for (FoundText& text : want) text.finish = FinishReason::kContext;
  expect_found(got, want);
}

// The callback hears the best texts one after the other, when it is known which ones they are.
TEST(Beams, AreToldAtTheEnd) {
  Request r = beams(4, 8);
  r.n = 2;
  r.log_prob = true;
  struct Told {
    Tokens ids;
    std::vector<double> log_probs;
    FinishReason finish = FinishReason::kNone;
  };
  std::vector<Told> told;
  int over = 0;
  r.on_event = [&](const Event& e) {
    EXPECT_EQ(over, 0);
    told.resize(static_cast<size_t>(e.branch) + 1);
    Told& text = told.back();
    EXPECT_EQ(text.finish, FinishReason::kNone);
    if (e.token >= 0) text.ids.push_back(e.token), text.log_probs.push_back(e.log_prob);
    text.finish = e.finish;
    over += e.over;
  };
  const Result got = Driver(0).generate(r);
  const auto texts = texts_of(got);
  ASSERT_EQ(told.size(), 2u);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(told[i].ids, texts[i]->tokens);
    EXPECT_EQ(told[i].log_probs, texts[i]->log_probs);
    EXPECT_NEAR(std::accumulate(told[i].log_probs.begin(), told[i].log_probs.end(), 0.0), texts[i]->log_prob, 1e-9);
    EXPECT_EQ(told[i].finish, FinishReason::kLength);
  }
  EXPECT_EQ(over, 1);
}

TEST(Beams, SayWhatElseWasLikely) {
  Request r = beams(3, 6);
  r.top_log_probs = 4;
  Oracle oracle;
  const Result got = Driver(0).generate(r);
  for (const Choice* text : texts_of(got)) {
    ASSERT_EQ(text->top_log_probs.size(), text->tokens.size());
    for (size_t i = 0; i < text->tokens.size(); ++i) {
      const auto at = text->tokens.begin() + static_cast<std::ptrdiff_t>(i);
      const std::vector<double> all = oracle.log_probs(r.prompt, {text->tokens.begin(), at});
      EXPECT_NEAR(text->log_probs[i], all[static_cast<size_t>(*at)], 1e-9);
      ASSERT_EQ(text->top_log_probs[i].size(), 4u);
      EXPECT_NEAR(text->top_log_probs[i][0].log_prob, std::ranges::max(all), 1e-9);
    }
  }
}

TEST(Beams, GiveThePromptsLogProbsToo) {
  Request r = beams(3, 4);
  r.prompt_log_probs = true;
  Request drawn = r;
  drawn.beams = 0;
  drawn.n = 1;
  const Result got = Driver(0).generate(r);
  EXPECT_EQ(got.prompt_log_probs, Driver(0).generate(drawn).prompt_log_probs);
  EXPECT_EQ(got.prompt_log_probs.size(), r.prompt.size() - 1);
  expect_found(got, Oracle().search(r));
}

TEST(Beams, HaveNoGuesses) {
  int64_t asked = 0;
  const auto draft = [&](std::span<const TokenId>) {
    ++asked;
    return Tokens{1, 2};
  };
  Driver d(0, {.limits = {.n_ctx = 600}, .n_parallel = 6, .rows = 100, .drafts = test::guessing(draft)});
  expect_found(d.generate(beams(3, 10)), Oracle().search(beams(3, 10)));
  EXPECT_EQ(asked, 0);
}

TEST(Beams, AreCutOffByACancellation) {
  Driver d(0);
  Request r = beams(4, 50);
  r.n = 2;
  int told = 0;
  r.on_event = [&](const Event& e) { told += e.finish == FinishReason::kCancelled; };
  std::future<Result> result = d.submit(r);
  for (int i = 0; i < 10; ++i) d.loop->step();
  d.loop->cancel(1);
  const Result got = result.get();
  EXPECT_EQ(got.finish, FinishReason::kCancelled);
  EXPECT_EQ(got.tokens.size(), 10u) << "the best so far";
  EXPECT_EQ(told, 2);
  EXPECT_TRUE(d.all_free());
  EXPECT_EQ(d.generate(draws(80, 3)).error, "") << "its slots are free";
}

TEST(Beams, AreCutOffWithTheTextsThatHaveEnded) {
  Driver d(0, with_ends(8));
  Request r = beams(6, 200);
  std::future<Result> result = d.submit(r);
  for (int i = 0; i < 25; ++i) d.loop->step();
  d.loop->cancel(1);
  const Result got = result.get();
  const auto texts = texts_of(got);
  EXPECT_TRUE(std::ranges::any_of(texts, [](const Choice* text) { return text->end_token >= 0; }));
  for (const Choice* text : texts) EXPECT_EQ(text->finish, FinishReason::kCancelled);
}

// The step with the bad token fails: each of its texts is computed again by itself.
TEST(Beams, OutliveTheFailureOfANeighbour) {
  Driver d(0);
  const Request r = beams(4, 30);
  Request bad = draws(60, 5);
  bad.prompt.push_back(d.stepper.poison = 2 * test::kFakeVocab);
  std::future<Result> a = d.submit(r);
  for (int i = 0; i < 4; ++i) d.loop->step();
  std::future<Result> b = d.submit(bad);
  ASSERT_TRUE(d.run());
  EXPECT_NE(b.get().error, "");
  expect_found(a.get(), Oracle().search(r));
  EXPECT_TRUE(d.all_free());
}

TEST(Beams, FreeTheirSlotsWhenTheyFail) {
  Driver d(0, options(4));
  Request r = beams(4, 100);
  std::erase(r.prompt, 7);
  std::future<Result> result = d.submit(r);
  for (int i = 0; i < 5; ++i) d.loop->step();
  d.stepper.poison = 7;  // some text comes to it
  ASSERT_TRUE(d.run());
  EXPECT_NE(result.get().error, "");
  EXPECT_TRUE(d.all_free());
  d.stepper.poison = -1;
  Driver fresh(0, options(4));
  EXPECT_EQ(d.generate(beams(4, 10)).tokens, fresh.generate(beams(4, 10)).tokens);
  for (const EngineStatus::Slot& slot : d.loop->status().slots) EXPECT_EQ(slot.state, EngineStatus::Slot::State::kIdle);
}

TEST(Beams, LeaveTheLastTextOfTheirSlots) {
  Driver d(0, options(2));
  const Result got = d.generate(beams(2, 10));
  EXPECT_EQ(d.loop->status().slots[0].n_prompt, 70);
  EXPECT_EQ(d.loop->status().slots[0].n_decoded, 10);
}

}  // namespace
}  // namespace skald::beams_test
