// Tokens that a request's forcer wants, on every path.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "tests/engine/fake_stepper.h"
#include "tests/engine/guessing.h"
#include "tests/engine/requests.h"

namespace skald::forced_tokens_test {
namespace {

using test::Driver;
using ::testing::ElementsAre;

/// After `at` tokens these ones follow.
class Forcer final : public TokenForcer {
 public:
  Forcer(int at, std::vector<TokenId> follow) : at_(at), follow_(std::move(follow)) {}
  std::unique_ptr<TokenForcer> begin() const override { return std::make_unique<Forcer>(at_, follow_); }
  std::vector<TokenId> after(TokenId) override { return ++seen_ == at_ ? follow_ : std::vector<TokenId>(); }

 private:
  int at_, seen_ = 0;
  std::vector<TokenId> follow_;
};

Request request() { return {.prompt = {1, 2, 3}, .max_tokens = 40, .sampling = {.seed = 5}, .on_event = {}}; }

Request forced(Request r) {
  r.forcer = std::make_shared<Forcer>(10, std::vector<TokenId>{7, 8, 9});
  return r;
}

std::vector<TokenId> part(const std::vector<TokenId>& tokens, int64_t from, int64_t to) {
  return {tokens.begin() + from, tokens.begin() + to};
}

TEST(ForcedTokens, FollowInPlaceOfWhatTheModelSays) {
  Driver plain(0), forcing(0);
  const std::vector<TokenId> free = plain.generate(request()).tokens, got = forcing.generate(forced(request())).tokens;
  EXPECT_EQ(part(got, 0, 10), part(free, 0, 10));
  EXPECT_THAT(part(got, 10, 13), ElementsAre(7, 8, 9));
  EXPECT_EQ(got.size(), free.size()) << "they count";
  EXPECT_EQ(forcing.stepper.steps, plain.stepper.steps - 3) << "they are computed with the token before";
  EXPECT_TRUE(forcing.all_free());
}

TEST(ForcedTokens, AreTheSameOnEveryPath) {
  const Result want = Driver(0).generate(forced(request()));
  Request each_row = forced(request());
  each_row.log_prob = true;
  const Result rows = Driver(0).generate(each_row);
  EXPECT_EQ(rows.tokens, want.tokens);
  EXPECT_EQ(rows.log_probs.size(), want.tokens.size());
  for (const bool right : {true, false}) {
    const auto draft = [&](std::span<const TokenId> text) {
      std::vector<TokenId> guesses;
      for (size_t at = text.size() - 3; at < std::min(text.size() + 2, want.tokens.size()); ++at)
        guesses.push_back(right || at % 3 ? want.tokens[at] : (want.tokens[at] + 1) % test::kFakeVocab);
      return guesses;
    };
    Driver drafts(0, {.limits = {.n_ctx = 600}, .n_parallel = 1, .rows = 100, .drafts = test::guessing(draft)});
    EXPECT_EQ(drafts.generate(forced(request())).tokens, want.tokens) << right;
  }
}

TEST(ForcedTokens, SayWhatWasLikelyInTheirPlaces) {
  Request r = forced(request());
  r.top_log_probs = 2;
  const Result got = Driver(0).generate(r);
  EXPECT_EQ(got.tokens, Driver(0).generate(forced(request())).tokens);
  ASSERT_EQ(got.top_log_probs.size(), got.tokens.size());
  for (size_t i = 0; i < got.tokens.size(); ++i) EXPECT_EQ(got.top_log_probs[i].size(), 2u) << i;
}

TEST(ForcedTokens, AreOfEachTextOfAPrompt) {
  Request r = forced(request());
  r.n = 3;
  const Result all = Driver(0).generate(r);
  ASSERT_EQ(all.others.size(), 2u);
  for (uint64_t i = 0; i < 3; ++i) {
    Request one = forced(request());
    one.sampling.seed = 5 + i;
    EXPECT_EQ(i ? all.others[i - 1].tokens : all.tokens, Driver(0).generate(one).tokens) << i;
  }
}

// Six texts have room for three: who was paused between the tokens that it must say goes on with the rest of them.
TEST(ForcedTokens, OutlastPauses) {
  Driver crowded(320);
  std::vector<std::future<Result>> results;
  std::vector<Request> requests;
  for (TokenId i = 0; i < 6; ++i) {
    Request r = request();
    r.prompt = std::vector<TokenId>(50, i);
    r.max_tokens = 120;
    r.forcer = std::make_shared<Forcer>(12 + i, std::vector<TokenId>(5, 7));
    requests.push_back(r);
    results.push_back(crowded.submit(std::move(r)));
  }
  ASSERT_TRUE(crowded.run());
  EXPECT_GT(crowded.most_paused, 0);
  for (size_t i = 0; i < requests.size(); ++i) {
    const Result got = results[i].get();
    EXPECT_EQ(got.error, "");
    EXPECT_EQ(got.tokens, Driver(0).generate(requests[i]).tokens) << i;
  }
  EXPECT_TRUE(crowded.all_free());
}

TEST(ForcedTokens, EndWithTheLimitOfTokens) {
  Request r = forced(request());
  r.max_tokens = 12;
  const Result got = Driver(0).generate(r);
  EXPECT_EQ(got.finish, FinishReason::kLength);
  EXPECT_THAT(part(got.tokens, 10, 12), ElementsAre(7, 8));
}

TEST(ForcedTokens, GoAfterTheGrammar) {
  const Model& model = test::story_model();
  Engine engine(model, {.device = {.n_threads = 2}});
  Request r = test::story("Once upon a time", 60);
  r.ignore_eos = false;
  r.grammar = {.kind = GrammarParams::Kind::kRegex, .text = "[a-z]+\\."};
  r.forcer = std::make_shared<Forcer>(2, model.tokenize("!"));
  const Result kept = engine.generate(r);
  EXPECT_EQ(kept.error, "");
  EXPECT_EQ(kept.text.find('!'), std::string::npos) << kept.text;
  r.forcer = std::make_shared<Forcer>(2, std::vector<TokenId>{model.tokenize("a.").back()});
  const Result ended = engine.generate(r);
  EXPECT_EQ(ended.tokens.size(), 3u) << ended.text;
  EXPECT_EQ(ended.finish, FinishReason::kEnd);
}

}  // namespace
}  // namespace skald::forced_tokens_test
